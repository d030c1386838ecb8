import type { InboundPort, RefusalReason, Resolution, ResolvedAddress } from '../inbound/port';
import { createGtubeFilter } from './gtube';
import { createHeaderReader } from './header-reader';
import { remoteReply } from './remote-replies';
import type { Spool, SpoolEntry } from './spool';

type Reply = ReturnType<typeof remoteReply>;

/**
 * Plays the receiving servers of a stored message: managed domains receive it like mail from outside; for other
 * recipients a response is simulated. Mail that an alias forwards outside goes no further.
 */
export async function deliverLocally(
  spool: Spool,
  entry: SpoolEntry,
  { resolve, receive }: InboundPort,
): Promise<[recipient: string, Reply][]> {
  const replies: [string, Reply][] = [];
  const resolved: ResolvedAddress[] = [];
  for (const recipient of entry.rcptTo) {
    const resolution = await resolve(recipient);
    if (resolution.isAccepted) resolved.push(resolution);
    replies.push([recipient, replyFor(recipient, resolution)]);
  }
  if (resolved.length > 0) await receive({ ...(await inboundOf(spool, entry)), resolved });
  return replies;
}

function replyFor(recipient: string, resolution: Resolution): Reply {
  if (resolution.isAccepted) {
    return {
      kind: 'delivered',
      cause: null,
      smtpCode: 250,
      enhancedCode: '2.0.0',
      response: '250 2.0.0 Ok: received by this server',
      remoteMta: SANDBOX_HOST,
    };
  }
  const refusal = REFUSALS[resolution.reason];
  if (!refusal) return remoteReply(recipient);
  const [enhancedCode, why] = refusal;
  const response = `550 ${enhancedCode} <${recipient}>: ${why}`;
  return { kind: 'bounced', cause: 'remote_reply', smtpCode: 550, enhancedCode, response, remoteMta: SANDBOX_HOST };
}

const SANDBOX_HOST = 'sandbox.localhost';

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
  const verdict = filter.verdict();
  return { queueId, mailFrom, sizeBytes, header, read, ...verdict, receivedAt: new Date(receivedAt) };
}
