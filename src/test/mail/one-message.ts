import type { LogFact } from '@/mail/log/log-line';
import { makeDomain, makeMailbox } from '../factories';
import { emittedEvents, type FilterFields, lines, newQueueId, readFilter, readLines } from './logged-mail';

type Domain = { id: string; name: string };

export type OneMessage = ReturnType<typeof oneMessageIn>;

/** A message in a domain of its own with these mailboxes. */
export async function makeOneMessage(...mailboxes: string[]): Promise<OneMessage> {
  const domain = await makeDomain();
  for (const localPart of mailboxes) await makeMailbox(domain.id, localPart);
  return oneMessageIn(domain);
}

/** A message with a new queue id, of which nothing is recorded yet. */
export function oneMessageIn(domain: Domain) {
  const queueId = newQueueId();
  return {
    domain,
    queueId,
    /** Records what the filter reports about the message. */
    filtered: (fields: FilterFields, raw?: string | null) => readFilter(queueId, fields, raw),
    /** Records log lines about the message. */
    logged: (...facts: LogFact[]) => readLines(...lines(queueId, ...facts)),
    /** The events of the domain. */
    emitted: (type?: string) => emittedEvents(domain.id, type),
  };
}

/** The text of a message. */
export const OFFER =
  'From: Bo <bo@far.example>\r\nSubject: Offer\r\nMessage-ID: <offer@far.example>\r\n\r\nGood morning.\r\n';
