import { z } from 'zod';
import { authorizeDomain } from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import type { Page } from '@/server/pagination';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { sha256, sign, unsign } from '@/server/secrets/crypto';
import type { ListAbuseSenders } from './lists';
import type { AbuseSender } from './schema';

type Row = Omit<AbuseSender, 'sent_last_hour' | 'sent_last_24h'> & { hour: number; day: number };

const CURSOR = 'abuse-senders';

// All pages show the counts as of the first page. Changing counts would otherwise skip and repeat rows.
const Position = z.tuple([z.string(), z.iso.datetime(), z.number().int(), z.number().int(), z.string(), z.uuid()]);
type Position = z.infer<typeof Position>;

/** The senders of the last 24 hours with their counts. @throws INVALID_PAGINATION; the errors of authorizeDomain */
export async function listAbuseSenders(ctx: ActorContext, input: ListAbuseSenders): Promise<Page<AbuseSender>> {
  const { cursor, limit, sort, order, domain_id: domainId } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const fingerprint = Buffer.from(sha256(JSON.stringify([sort, order, domainId])))
    .toString('base64url')
    .slice(0, 16);
  const position = cursor === undefined ? null : readCursor(cursor, fingerprint);
  const asOf = position ? position[1] : ctx.clock.now().toISOString();
  const rows = await findSenders(ctx, input, asOf, position);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  const next: Position | null =
    last && hasMore ? [fingerprint, asOf, last.hour, last.day, last.address, last.domain_id] : null;
  const pagination = { next_cursor: next ? writeCursor(next) : '', has_more: hasMore };
  return { items: page.map(present), pagination: { ...pagination, ...(input.total && { total: null }) } };
}

function findSenders(
  { db }: ActorContext,
  { limit, sort, order, domain_id: domainId }: ListAbuseSenders,
  asOf: string,
  position: Position | null,
): Promise<Row[]> {
  const { raw, sql, empty } = Prisma;
  const sign = raw(order === 'desc' ? '-' : '');
  const countsOf = (hour: Prisma.Sql, day: Prisma.Sql) =>
    sort === 'sent_last_hour' ? sql`${sign}${hour}, ${sign}${day}` : sql`${sign}${day}, ${sign}${hour}`;
  // Senders of equal counts go from a to z in either order.
  const columns = sql`${countsOf(sql`sent.hour`, sql`sent.day`)}, sent.address, sent.domain_id`;
  const afterCursor = position
    ? sql`WHERE (${columns}) > (${countsOf(sql`${position[2]}::int`, sql`${position[3]}::int`)},
                                ${position[4]}, ${position[5]}::uuid)`
    : empty;
  return db.$queryRaw`
    SELECT sent.address, sent.domain_id, m.id AS mailbox_id, sent.hour, sent.day, t.mailbox_hourly AS "limit",
           m.active, m.suspended_at IS NOT NULL AS suspended
      FROM (SELECT address, domain_id, count(*)::int AS day,
                   (count(*) FILTER (WHERE at > ${asOf}::timestamptz - interval '1 hour'))::int AS hour
              FROM counted_send
             WHERE at > ${asOf}::timestamptz - interval '24 hours' AND at <= ${asOf}::timestamptz
                   ${domainId ? sql`AND domain_id = ${domainId}::uuid` : empty}
             GROUP BY address, domain_id) sent
     CROSS JOIN abuse_threshold t
      LEFT JOIN mailbox m ON m.domain_id = sent.domain_id AND m.local_part = split_part(sent.address, '@', 1)
      ${afterCursor}
     ORDER BY ${columns}
     LIMIT ${limit + 1}`;
}

function present({ hour, day, ...sender }: Row): AbuseSender {
  return { ...sender, sent_last_hour: hour, sent_last_24h: day };
}

function writeCursor(position: Position): string {
  return sign(CURSOR, Buffer.from(JSON.stringify(position)).toString('base64url'));
}

function readCursor(cursor: string, fingerprint: string): Position {
  const signed = unsign(CURSOR, cursor);
  const position = signed && Position.safeParse(JSON.parse(Buffer.from(signed, 'base64url').toString('utf8'))).data;
  if (position && position[0] === fingerprint) return position;
  throw new AppError('INVALID_PAGINATION', 'The cursor doesn’t belong to this list, filters and order.', {
    details: { fields: [{ path: 'cursor', message: 'Use next_cursor with the same filters and order.' }] },
  });
}
