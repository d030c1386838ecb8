import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { GetSentLately, MailboxSignIns, SentLately } from './schema';
import { getMailbox } from './service';

const HOUR_MS = 3_600_000;
/** The newest messages that are looked at, so that one mailbox can't keep the database busy. */
const MAX_MESSAGES = 10_000;
const MAX_DOMAINS = 10;
const MAX_SOURCES = 20;
const MAX_SIGN_INS = 50;
/** Counts of sent messages are kept for eight days. */
const KEPT_HOURS = 8 * 24;

type Totals = Pick<SentLately, 'messages' | 'recipients' | 'undelivered'>;

/** Sums up the messages that a mailbox sent in the last hours, to whom and from where. @throws NOT_FOUND */
export async function getSentLately(ctx: ActorContext, { id, hours }: GetSentLately): Promise<SentLately> {
  const { email } = await getMailbox(ctx, { id });
  const { db, clock } = ctx;
  const since = new Date(clock.now().getTime() - hours * HOUR_MS);
  const sent = Prisma.sql`
    sent AS MATERIALIZED (
      SELECT id, at FROM counted_send WHERE address = ${email.toLowerCase()} AND at > ${since} ORDER BY at DESC LIMIT ${MAX_MESSAGES}
    )`;
  const undelivered = Prisma.sql`(count(*) FILTER (WHERE r.status IN ('bounced', 'failed')))::int AS undelivered`;
  const [[totals], domains, sources, [earlier]] = await Promise.all([
    db.$queryRaw<[Totals]>`
      WITH ${sent}
      SELECT (SELECT count(*) FROM sent)::int AS messages, count(*)::int AS recipients, ${undelivered}
        FROM sent JOIN message_recipient r ON r.message_id = sent.id`,
    db.$queryRaw<SentLately['recipient_domains']>`
      WITH ${sent}
      SELECT lower(split_part(r.address, '@', 2)) AS domain, count(*)::int AS recipients, ${undelivered}
        FROM sent JOIN message_recipient r ON r.message_id = sent.id
       GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MAX_DOMAINS}`,
    db.$queryRaw<SourceRow[]>`
      WITH ${sent}
      SELECT e.detail->>'source' AS source, e.detail->>'by' AS by, e.detail->>'client' AS client_address,
             e.detail->>'api_key_id' AS api_key_id, count(*)::int AS messages, min(sent.at) AS "firstAt", max(sent.at) AS "lastAt"
        FROM sent JOIN message_event e ON e.message_id = sent.id AND e.type IN ('accepted', 'queued') AND e.detail ? 'source'
       GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 7 DESC LIMIT ${MAX_SOURCES}`,
    db.$queryRaw<[Earlier]>`
      WITH earlier AS MATERIALIZED (
        SELECT id FROM counted_send
         WHERE address = ${email.toLowerCase()} AND at <= ${since} AND at > ${new Date(clock.now().getTime() - KEPT_HOURS * HOUR_MS)}
         ORDER BY at DESC LIMIT ${MAX_MESSAGES}
      )
      SELECT (SELECT count(*) FROM earlier)::int AS messages,
             (SELECT count(*) FROM earlier JOIN message_recipient r ON r.message_id = earlier.id)::int AS recipients,
             (SELECT coalesce(array_agg(DISTINCT e.detail->>'client'), '{}')
                FROM earlier JOIN message_event e ON e.message_id = earlier.id AND e.type IN ('accepted', 'queued')
               WHERE e.detail->>'client' IS NOT NULL) AS clients,
             (SELECT max(created_at) FROM alert
               WHERE mailbox_id = ${id}::uuid AND kind = 'wrong_passwords' AND created_at > ${since}) AS "blockedAt"`,
  ]);
  const isNew = (address: string) => !earlier.clients.includes(address);
  const addresses = new Set(sources.flatMap(({ client_address: address }) => address ?? []));
  const perDay = (count: number) => Math.round((count / ((KEPT_HOURS - hours) / 24)) * 10) / 10;
  return {
    since: since.toISOString(),
    ...totals,
    is_complete: totals.messages < MAX_MESSAGES,
    recipient_domains: domains,
    sources: sources.map(({ firstAt, lastAt, ...source }) => ({
      ...source,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    })),
    usual_per_day: perDay(earlier.messages),
    usual_recipients_per_day: perDay(earlier.recipients),
    new_client_addresses: earlier.messages > 0 ? [...addresses].filter(isNew) : [],
    sign_ins_blocked_at: earlier.blockedAt?.toISOString() ?? null,
  };
}

/** The mail of the days before the period. `blockedAt` is a time within the period. */
type Earlier = { messages: number; recipients: number; clients: string[]; blockedAt: Date | null };
type Source = SentLately['sources'][number];
type SourceRow = Omit<Source, 'first_at' | 'last_at'> & { firstAt: Date; lastAt: Date };

/** @throws NOT_FOUND */
export async function listSignIns(ctx: ActorContext, { id }: { id: string }): Promise<MailboxSignIns> {
  await getMailbox(ctx, { id });
  const rows = await ctx.db.mailboxSignIn.findMany({
    where: { mailboxId: id },
    orderBy: [{ lastAt: 'desc' }, { clientAddress: 'asc' }, { protocol: 'asc' }],
    take: MAX_SIGN_INS,
  });
  return {
    sign_ins: rows.map(({ clientAddress, protocol, firstAt, lastAt }) => ({
      client_address: clientAddress || null,
      protocol,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    })),
  };
}
