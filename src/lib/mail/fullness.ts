/** From here on, a mailbox is shown as nearly full. */
export const NEARLY_FULL_PERCENT = 80;

/** From here on, it needs attention. */
export const ALMOST_FULL_PERCENT = 90;
