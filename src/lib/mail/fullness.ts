/** From here on, the storage of a mailbox is shown as a percentage too. */
export const MARKED_PERCENT = 80;

/** From here on, a mailbox is nearly full and needs attention. */
export const NEARLY_FULL_PERCENT = 90;

/** A mailbox with no space left rejects mail. */
export const FULL_PERCENT = 100;
