/** Whether the text is a Postfix queue id, in the long form (enable_long_queue_ids) or the short one. */
export function isQueueId(text: string): boolean {
  return LONG.test(text) || SHORT.test(text);
}

// Seconds and microseconds without vowels, `z`, and the inode in base 51, which has no `z`.
const LONG = /^[\dB-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]{10,20}z[\dB-DF-HJ-NP-TV-Zb-df-hj-np-tv-y]{1,20}$/;
// Microseconds and the inode, in hexadecimal.
const SHORT = /^[\dA-F]{6,24}$/;
