import { MemoryDisk } from '../../ledger/memory-store.ts'
import { contract } from './contract.ts'

contract('store/memory', async () => {
  const disk = new MemoryDisk()
  return {
    medium: () => disk,
    image: async () => {
      const image = disk.image()
      return async what => disk.restore(image, what)
    },
    removeMark: async () => disk.removeMark(),
    garbleMark: async () => disk.garbleMark(),
    removeLedger: epoch => disk.discard(epoch),
    destroy: async () => undefined,
  }
})
