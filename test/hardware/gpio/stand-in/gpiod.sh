#!/bin/bash
# Plays the gpiod tools, under the name it was called by, in the dialect of the folder it is in.
#
# It keeps what the kernel keeps: a line belongs to one process and only while that lives, events go to who has the line,
# and a line that nobody has is let go, or keeps its level where the chip is one of those (file "persists").
#
#     dialect, chips/gpiochip0/{label,lines,persists,level.N,out.N,use.N}, edges of a chip by its pipe "edges"

here=$(dirname "$0")
tool=$(basename "$0")
dialect=$(<"$here/dialect")
chips=$here/chips

die() {
  echo "$tool: $1" >&2
  exit 1
}

unknown() {
  echo "$tool: unrecognized option '$1'" >&2
  die "try $tool --help"
}

version() {
  echo "$tool (libgpiod) v$([ "$dialect" = 1 ] && echo 1.6.3 || echo 2.1.3)"
  exit 0
}

# the chip as either dialect names it
chip=
mode=exit toggle=
format=
numeric=
words=()
for word; do
  case $dialect:$tool:$word in
    *:*:--version) version ;;
    *:gpioget:--bias=pull-up | *:gpiomon:--bias=pull-up) bias=1 ;;
    *:gpioget:--bias=pull-down | *:gpiomon:--bias=pull-down) bias=0 ;;
    1:gpiomon:--line-buffered) ;;
    [12]:gpiomon:--format=*) format=${word#*=} ;;
    1:gpioset:--mode=exit | 1:gpioset:--mode=signal) mode=${word#*=} ;;
    2:gpio*:--chip=*) chip=${word#*=} ;;
    2:gpioget:--numeric) numeric=1 ;;
    2:gpioset:--toggle=0) toggle=0 ;;
    *:*:-*) unknown "$word" ;;
    *) words+=("$word") ;;
  esac
done
[ "$dialect" = 2 ] && mode=$([ "$toggle" = 0 ] && echo exit || echo signal)
if [ "$dialect" = 1 ] && [ "$tool" != gpiodetect ]; then
  chip=${words[0]}
  words=("${words[@]:1}")
fi

if [ "$tool" = gpiodetect ]; then
  for folder in "$chips"/*; do
    echo "$(basename "$folder") [$(<"$folder/label")] ($(<"$folder/lines") lines)"
  done
  exit 0
fi

[ -z "$chip" ] && die "cannot find line '${words[0]}'"
folder=$chips/$chip
[ -d "$folder" ] || die "cannot find GPIO chip character device '$chip'"

# the pid of who has a line, while that process lives; one that nobody has reaped has given its lines back
user_of() {
  local pid state
  user=
  [ -e "$folder/use.$1" ] || return
  read -r user pid <"$folder/use.$1"
  { read -r state <"/proc/$pid/stat"; } 2>/dev/null && [[ $state != *') Z '* ]] || user=
}

# takes a line for as long as this process lives
take() {
  [ "$1" -lt "$(<"$folder/lines")" ] || die "offset $1 is out of range on chip '$chip'"
  user_of "$1"
  [ -z "$user" ] || die "unable to request lines on chip '/dev/$chip': Device or resource busy"
  echo "$tool $$" >"$folder/use.$1"
}

# one process looks and takes at a time
exec {mutex}>>"$folder/mutex"
flock "$mutex"

case $tool in
  gpioinfo)
    lines=$(<"$folder/lines")
    echo "$chip - $lines lines:"
    for ((n = 0; n < lines; n++)); do
      user_of "$n"
      if [ "$dialect" = 1 ]; then
        printf '\tline %3d: %12s %12s %8s %11s %s\n' "$n" unnamed "${user:+\"$user\"}${user:-unused}" input active-high \
          "${user:+[used]}"
      else
        printf '\tline %3d:\t%-16s\tinput%s\n' "$n" unnamed "${user:+ consumer=\"$user\"}"
      fi
    done
    ;;
  gpioget)
    [ "$dialect" = 2 ] && [ -z "$numeric" ] && die 'this stand-in only has numbers'
    levels=()
    for n in "${words[@]}"; do
      take "$n"
      levels+=("$([ -e "$folder/level.$n" ] && cat "$folder/level.$n" || echo "${bias:-0}")")
    done
    echo "${levels[@]}"
    ;;
  gpioset)
    for pair in "${words[@]}"; do
      take "${pair%=*}"
      echo "${pair#*=}" >"$folder/out.${pair%=*}"
    done
    exec {mutex}>&-
    [ "$mode" = exit ] && exit 0
    # waits without a child that would outlive it
    exec {wait}<> <(:)
    read -r -u "$wait"
    ;;
  gpiomon)
    for n in "${words[@]}"; do take "$n"; done
    pipe=$folder/edges
    rm -f "$pipe"
    mkfifo "$pipe"
    exec {edges}<>"$pipe" {mutex}>&-
    while read -r -u "$edges" n level ns; do
      for wanted in "${words[@]}"; do
        [ "$wanted" = "$n" ] || continue
        edge=$level
        [ "$dialect" = 2 ] && [ "$level" = 0 ] && edge=2
        case $format in
          '%e %o %s %n') echo "$edge $n $((ns / 1000000000)) $((ns % 1000000000))" ;;
          '%e %o %S') printf '%d %d %d.%09d\n' "$edge" "$n" "$((ns / 1000000000))" "$((ns % 1000000000))" ;;
          *) die "no format" ;;
        esac
      done
    done
    ;;
  *) die 'is none of the gpiod tools' ;;
esac
