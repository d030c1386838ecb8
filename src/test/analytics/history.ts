import fc from 'fast-check';
import { uuidv7 } from '@/lib/uuid';
import type { DeliveryReport } from '@/mail/delivery-report';
import type { SubmitOutcome } from '@/mail/submission/submit';
import { lockMessage } from '@/modules/messages/tracking/locked-message';
import { recordReport } from '@/modules/messages/tracking/outcomes';
import { recordAlone } from '@/modules/messages/tracking/submissions';
import { admitMessages, messageRow, type NewMessage } from '@/modules/sending/submission/message-row';
import { markUncertain } from '@/modules/sending/submission/submit';
import type { Tx } from '@/server/database/db';
import type { ActorContext } from '@/server/procedures/context';
import { db } from '../database';
import { unique } from '../factories';
import { ANSWERS } from '../mail/reported-message';

const MINUTE_MS = 60_000;
const RECIPIENTS = ['ann@gmail.com', 'bo@far.example', 'cy@OUTLOOK.co.uk', 'di@far.example'];

/** A message and what happens to it. `crashAt` is the step whose transaction is rolled back. */
export const sending = fc.record({
  kind: fc.constant('send' as const),
  minutesAgo: fc.integer({ min: 0, max: 400 }),
  sender: fc.constantFrom('shop', 'Shop', 'news'),
  hasKey: fc.boolean(),
  tags: fc.option(fc.constantFrom({ kind: 'news' }, { kind: 'news', plan: 'pro' }, { plan: 'pro' })),
  /** A report can be stored before the reply to the submission, and lack the queue id. */
  isReportedFirst: fc.boolean(),
  recipients: fc.uniqueArray(fc.constantFrom(...RECIPIENTS), { minLength: 1, maxLength: 4 }),
  submission: fc.constantFrom('accepted', 'partly', 'refused', 'uncertain', 'abandoned', 'none'),
  reports: fc.array(
    fc.record({
      recipient: fc.constantFrom(...RECIPIENTS),
      kind: fc.constantFrom('delivered', 'bounced', 'deferred', 'failed'),
      seconds: fc.integer({ min: 0, max: 7200 }),
    }),
    { maxLength: 5 },
  ),
  crashAt: fc.option(fc.integer({ min: 0, max: 4 })),
});

export const receiving = fc.record({
  kind: fc.constant('receive' as const),
  minutesAgo: fc.integer({ min: 0, max: 400 }),
  statuses: fc.array(fc.constantFrom('received', 'spam', 'deferred', 'bounced', 'failed'), {
    minLength: 1,
    maxLength: 3,
  }),
  crashAt: fc.option(fc.integer({ min: 0, max: 2 })),
});

type Sending = typeof sending extends fc.Arbitrary<infer Value> ? Value : never;
type Receiving = typeof receiving extends fc.Arbitrary<infer Value> ? Value : never;

type Place = { domain: { id: string; name: string }; keyId: string; now: Date };

/** Plays it with the app's own code, each step in a transaction. */
export async function play(step: Sending | Receiving, { domain, keyId, now }: Place): Promise<void> {
  const at = new Date(now.getTime() - step.minutesAgo * MINUTE_MS);
  const work = step.kind === 'send' ? stepsOfSending(step, domain, keyId, at) : stepsOfReceiving(step, domain, at);
  for (const [index, run] of work.entries()) {
    const isCrash = index === step.crashAt;
    await db
      .$transaction(async (tx) => {
        await run(tx);
        if (isCrash) throw new Crash();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      });
    if (isCrash && index === 0) return;
  }
}

class Crash extends Error {}

type Step = (tx: Tx) => Promise<unknown>;

function stepsOfSending(step: Sending, domain: Place['domain'], keyId: string, at: Date): Step[] {
  const [id, queueId] = [uuidv7(), unique()];
  const messageId = `<${unique()}@${domain.name}>`;
  const from = `${step.sender}@${domain.name}`;
  const ctx = {
    clock: { now: () => at },
    actor: {
      admin: { email: 'a@b.example', role: 'super_admin' },
      key: step.hasKey ? { id: keyId } : null,
      session: null,
    },
  } as unknown as ActorContext;
  const message = {
    from,
    messageId,
    subject: 'History',
    tags: step.tags ?? undefined,
    raw: new Uint8Array(10),
    recipients: step.recipients.map((address) => ({ address, kind: 'to' as const })),
  } as unknown as NewMessage['message'];
  const create: Step = async (tx) => {
    // Nothing is sent to an address that bounced, and histories have few addresses.
    await tx.suppression.deleteMany({ where: { domainId: domain.id } });
    await admitMessages(tx, [messageRow(ctx, { id, message, isSendable: true })]);
  };
  const outcome = outcomeOf(step, queueId);
  const submit: Step = async (tx) => {
    if (step.submission === 'abandoned') await markUncertain(tx, id, at);
    else if (outcome)
      await recordAlone(tx, {
        message: { ...(await lockMessage(tx, id)), recipients: step.recipients },
        outcome,
        at,
      });
  };
  const isReported = step.submission !== 'refused';
  const reports = step.reports.map(
    ({ recipient, kind, seconds }): Step =>
      (tx) =>
        recordReport(
          tx,
          reportOf({
            messageId,
            queueId: step.isReportedFirst ? null : queueId,
            recipient,
            kind,
            at: new Date(at.getTime() + seconds * 1000),
          }),
        ),
  );
  const later = isReported ? reports : [];
  return step.isReportedFirst ? [create, ...later, submit] : [create, submit, ...later];
}

function reportOf(report: Pick<DeliveryReport, 'messageId' | 'queueId' | 'recipient' | 'kind' | 'at'>): DeliveryReport {
  return { remoteMta: 'mx.far.example', ...ANSWERS[report.kind], ...report };
}

const REFUSAL = { smtpCode: 554, enhancedCode: '5.7.1', response: '554 5.7.1 Rejected' };

function outcomeOf({ submission, recipients }: Sending, queueId: string): SubmitOutcome | null {
  const [first = ''] = recipients;
  if (submission === 'uncertain') return { outcome: 'uncertain', reason: 'No reply.' };
  if (submission === 'refused') {
    return { outcome: 'refused', cause: 'rejected', isTemporary: false, refusedRecipients: [], ...REFUSAL };
  }
  if (submission !== 'accepted' && submission !== 'partly') return null;
  const refusedRecipients = submission === 'partly' ? [{ address: first, ...REFUSAL }] : [];
  return { outcome: 'accepted', queueId, response: '250 Ok', refusedRecipients };
}

function stepsOfReceiving({ statuses }: Receiving, domain: Place['domain'], at: Date): Step[] {
  const id = uuidv7();
  const [first = 'received', ...later] = statuses;
  const create: Step = (tx) =>
    tx.message.create({
      data: {
        id,
        messageId: `<${unique()}@far.example>`,
        queueId: unique(),
        domainId: domain.id,
        direction: 'inbound',
        fromAddress: 'bo@far.example',
        toAddresses: [`shop@${domain.name}`],
        subject: 'History',
        sizeBytes: 10,
        status: first,
        createdAt: at,
        recipients: { create: { address: `shop@${domain.name}`, kind: 'to', status: first, route: 'mailbox' } },
      },
    });
  const settle =
    (status: (typeof statuses)[number]): Step =>
    async (tx) => {
      await tx.messageRecipient.updateMany({ where: { messageId: id }, data: { status } });
      await tx.message.updateMany({ where: { id, status: { not: status } }, data: { status } });
    };
  return [create, ...later.map(settle)];
}
