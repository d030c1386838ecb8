let underWay = 0;

/** Runs the submission of a message to the mail server. */
export async function whileUnderWay<Result>(submit: () => Promise<Result>): Promise<Result> {
  underWay += 1;
  try {
    return await submit();
  } finally {
    underWay -= 1;
  }
}

/**
 * How statements about sends wait for each other: for a third as many as there are messages at the mail server, since those come
 * back soon and a message of six costs Postgres half of a single one. A message that is alone waits for none.
 */
export const WAIT_FOR_SENDS = { waitMs: 30, enough: () => Math.ceil(underWay / 2) };
