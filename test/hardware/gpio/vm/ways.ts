// Ways to a kernel's lines: the tools that this machine has, those of the other version beside them, and sysfs.

export const WAYS = [
  { way: 'gpiod', backend: 'chardev', isSecond: false },
  { way: 'gpiod of the backports', backend: 'chardev', isSecond: true },
  // last: a gate that is killed leaves its lines exported, and nobody else gets them then
  { way: 'sysfs', backend: 'sysfs', isSecond: false },
] as const
