// Fence: what may leave for a building's devices. The libraries behind it could write; nothing that writes gets past here.
//
// Law: signals come in and never go out. A frame that is not known to be a question for a value is not sent.

import { must } from '../../ledger/fault.ts'

const MBAP_BYTES = 7
/** coils, discrete inputs, holding registers, input registers */
const MODBUS_READS: ReadonlySet<number> = new Set([1, 2, 3, 4])

const BVLC_BACNET_IP = 0x81
const BVLC_UNICAST = 0x0a
const BVLC_BYTES = 4
const NPDU_VERSION = 1
/** no network numbers, and an answer is expected: the question is for this device itself */
const NPDU_PLAIN = 0x04
const NPDU_BYTES = 2
const APDU_KIND = 0xf0
const CONFIRMED_REQUEST = 0x00
const SEGMENTED = 0x08
const READ_PROPERTY = 12

export function isModbusQuestion(frame: Uint8Array): boolean {
  const [high = 0, low = 0] = frame.subarray(4, 6)
  // one whole frame: what was hidden behind it would be a frame of its own to the device
  return frame.length === 12 && high * 256 + low === frame.length - 6 && MODBUS_READS.has(frame[MBAP_BYTES] ?? 0)
}

export function isBacnetQuestion(datagram: Uint8Array): boolean {
  const [type, purpose] = datagram
  const [version, control] = datagram.subarray(BVLC_BYTES)
  const apdu = datagram.subarray(BVLC_BYTES + NPDU_BYTES)
  if (type !== BVLC_BACNET_IP || purpose !== BVLC_UNICAST) return false
  if (version !== NPDU_VERSION || control !== NPDU_PLAIN) return false
  const [head = 0xff, , , service] = apdu
  return (head & APDU_KIND) === CONFIRMED_REQUEST && (head & SEGMENTED) === 0 && service === READ_PROPERTY
}

/** Answers of a device come as datagrams like this; anything else is not for us. */
export function isBacnetAnswer(datagram: Uint8Array): boolean {
  const [type, purpose] = datagram
  const apdu = datagram[BVLC_BYTES + NPDU_BYTES] ?? 0
  // complex ack, error, reject, abort
  const isAnswer = [0x30, 0x50, 0x60, 0x70].includes(apdu & APDU_KIND) && (apdu & SEGMENTED) === 0
  return type === BVLC_BACNET_IP && purpose === BVLC_UNICAST && datagram[BVLC_BYTES] === NPDU_VERSION && isAnswer
}

export function mustBeQuestion(is: boolean): void {
  must(is, 'nothing but a question for a value is sent to a device of the building')
}
