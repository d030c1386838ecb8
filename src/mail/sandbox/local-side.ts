import type { InboundPort, RefusalReason, Resolution, Route } from '../inbound';
import { createGtubeFilter } from './gtube';
import { createHeaderReader } from './header-reader';
import { remoteAnswer } from './remote-side';
import type { Spool, SpoolEntry } from './spool';

type Answer = ReturnType<typeof remoteAnswer>;

/**
 * Plays the receiving servers of a stored message: managed domains receive it like mail from outside; for other
 * recipients a response is simulated. Mail that an alias forwards outside goes no further.
 */
export async function answersTo(
  spool: Spool,
  entry: SpoolEntry,
  { resolve, receive }: InboundPort,
): Promise<[recipient: string, Answer][]> {
  const answers: [string, Answer][] = [];
  const routes: Route[] = [];
  for (const recipient of entry.rcptTo) {
    const resolution = await resolve(recipient);
    if (resolution.verdict === 'accepted') routes.push(resolution);
    answers.push([recipient, answerOf(recipient, resolution)]);
  }
  if (routes.length > 0) await receive({ ...(await inboundOf(spool, entry)), routes });
  return answers;
}

function answerOf(recipient: string, resolution: Resolution): Answer {
  if (resolution.verdict === 'accepted') {
    return {
      kind: 'delivered',
      smtpCode: 250,
      enhancedCode: '2.0.0',
      response: '250 2.0.0 Ok: received by this server',
      remoteMta: HERE,
    };
  }
  const refusal = REFUSALS[resolution.reason];
  if (!refusal) return remoteAnswer(recipient);
  const [enhancedCode, why] = refusal;
  const response = `550 ${enhancedCode} <${recipient}>: ${why}`;
  return { kind: 'bounced', smtpCode: 550, enhancedCode, response, remoteMta: HERE };
}

const HERE = 'sandbox.localhost';

const REFUSALS: Partial<Record<RefusalReason, [enhancedCode: string, why: string]>> = {
  no_such_user: ['5.1.1', 'No such user'],
  inactive_domain: ['5.1.2', 'The domain does not accept mail'],
};

async function inboundOf(spool: Spool, { queueId, mailFrom, sizeBytes, receivedAt }: SpoolEntry) {
  const filter = createGtubeFilter();
  const reader = createHeaderReader();
  for await (const _ of reader.passOn(filter.passOn(spool.read(queueId))));
  const header = reader.header();
  const read = () => spool.load(queueId);
  const verdict = await filter.verdict();
  return { queueId, mailFrom, sizeBytes, header, read, ...verdict, receivedAt: new Date(receivedAt) };
}
