let inFlight = 0;

/** Runs the submission of a message to the mail server, with its waiting for a connection, and counts it meanwhile. */
export async function countInFlight<Result>(submit: () => Promise<Result>): Promise<Result> {
  inFlight += 1;
  try {
    return await submit();
  } finally {
    inFlight -= 1;
  }
}

/**
 * How statements about sends wait for each other: for half as many as there are messages under way to the mail server and back, since
 * one of eight costs Postgres less than half of a single one. Up to three messages at once don't wait.
 */
export const WAIT_FOR_SENDS = { waitMs: 30, enough: () => Math.floor(inFlight / 2) };
