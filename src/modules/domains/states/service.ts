import { DNS_STATE_PURPOSES } from '@/lib/mail/dns-purposes';
import { accessibleDomainIds } from '@/server/access/authorize';
import { escapeLike } from '@/server/list/search-key';
import { type Page, type Position, paginateFrom } from '@/server/pagination';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { domainStateList, type ListDomainStates } from '../lists';
import type { DomainState } from './schema';

const REPORTED_DAYS = 7;

/** Domains with what the last check of their DNS and the reports of a week say. */
export function listDomainStates(ctx: ActorContext, input: ListDomainStates): Promise<Page<DomainState>> {
  return paginateFrom(domainStateList, input, {
    fetch: async (position) => ({ rows: await findStates(ctx, input, position) }),
    count: async (take) => {
      const [row] = await ctx.db.$queryRaw<[{ count: number }]>`
        SELECT count(*)::int FROM (SELECT FROM ${domains(ctx, input)} LIMIT ${take}) AS matching`;
      return row.count;
    },
    // Names are unique, so they order rows with the same value.
    positionOf: ({ rank, name }) => ({ value: rank, id: name }),
    present,
  });
}

/** A domain's place in an order by what a check found. */
export type Ranked = { id: string; name: string; rank: string };

/** Domains in the order of the states that the last check of their DNS found. Reads all that match, which are some thousands at most. */
export function rankDomains(ctx: ActorContext, input: RankedInput, position: Position | null): Promise<Ranked[]> {
  return ctx.db.$queryRaw<Ranked[]>`
    WITH ranked AS (
      SELECT d.id, d.name, ${rankOf(input.sort, input.order)} COLLATE "C" AS rank FROM ${domains(ctx, input)}
    )
    SELECT * FROM ranked ${laterThan(position, input.order)} ORDER BY rank ${directionOf(input.order)}, name LIMIT ${input.limit + 1}`;
}

type RankedInput = DomainConditions & Pick<ListDomainStates, 'sort' | 'order' | 'limit'>;

function directionOf(order: ListDomainStates['order']): Prisma.Sql {
  return order === 'asc' ? Prisma.sql`ASC` : Prisma.sql`DESC`;
}

/** With the same value, by name in either order. */
function laterThan(position: Position | null, order: ListDomainStates['order']): Prisma.Sql {
  const beyond = order === 'asc' ? Prisma.sql`>` : Prisma.sql`<`;
  return position
    ? Prisma.sql`WHERE rank ${beyond} ${position.value} OR (rank = ${position.value} AND name > ${position.id})`
    : Prisma.empty;
}

async function findStates(ctx: ActorContext, input: ListDomainStates, position: Position | null): Promise<Row[]> {
  const { limit, sort, order } = input;
  const [direction, later] = [directionOf(order), laterThan(position, order)];
  const sums = { dmarc: dmarcOf(ctx), tls: tlsOf(ctx) };
  const ranked = sort === 'dmarc_pass_rate' ? sums.dmarc : sort === 'tls_failures' ? sums.tls : Prisma.empty;
  return ctx.db.$queryRaw<Row[]>`
    WITH ranked AS (
      SELECT d.*, ${rankOf(sort, order)} COLLATE "C" AS rank FROM ${domains(ctx, input)} ${ranked}
    ), page AS MATERIALIZED (
      SELECT * FROM ranked ${later} ORDER BY rank ${direction}, name LIMIT ${limit + 1}
    )
    SELECT d.id, d.name, d.active, d.dns_status::text AS "dnsStatus", d.dmarc_policy AS "dmarcPolicy",
           d.mta_sts_mode::text AS "mtaStsMode", d.dns_checked_at AS "checkedAt", record.states,
           record.answered AS "answeredAt",
           dmarc.messages::float8 AS messages, dmarc.passed::float8 AS passed, dmarc.failed::float8 AS failed,
           tls.sessions::float8 AS sessions, tls.failed::float8 AS "failedSessions", d.rank
      FROM page d LEFT JOIN LATERAL (${WORST_RECORDS}) record ON true ${sums.dmarc} ${sums.tls}
     ORDER BY rank ${direction}, name`;
}

function dmarcOf(ctx: ActorContext): Prisma.Sql {
  return Prisma.sql`
    LEFT JOIN LATERAL (
      SELECT sum(messages) AS messages, sum(aligned) AS passed, sum(messages - aligned - unknown) AS failed
        FROM dmarc_day WHERE domain_id = d.id AND day >= ${firstDay(ctx)}::date
    ) dmarc ON true`;
}

function tlsOf(ctx: ActorContext): Prisma.Sql {
  return Prisma.sql`
    LEFT JOIN LATERAL (
      SELECT sum(sessions) AS sessions, sum(failed_sessions) AS failed
        FROM tls_report WHERE domain_id = d.id AND day >= ${firstDay(ctx)}::date
    ) tls ON true`;
}

type DomainConditions = Pick<ListDomainStates, 'active' | 'dns_status' | 'dmarc_policy' | 'problem' | 'q'> & {
  name?: string;
};

/** The tables and conditions of the domains that match the filters. */
function domains(
  ctx: ActorContext,
  { active, dns_status, dmarc_policy, problem, name, q }: DomainConditions,
): Prisma.Sql {
  const ids = accessibleDomainIds(ctx.actor);
  const conditions = [
    ids && Prisma.sql`id = ANY (${ids}::uuid[])`,
    active !== undefined && Prisma.sql`active = ${active}`,
    dns_status && Prisma.sql`dns_status = ${dns_status}::dns_status`,
    dmarc_policy === 'missing' && Prisma.sql`dmarc_policy IS NULL AND dns_checked_at IS NOT NULL`,
    dmarc_policy && dmarc_policy !== 'missing' && Prisma.sql`dmarc_policy = ${dmarc_policy}`,
    problem && problemCondition(ctx, problem),
    name !== undefined && Prisma.sql`name = ${name}`,
    q && Prisma.sql`name LIKE ${`%${escapeLike(q.toLowerCase())}%`}`,
  ].filter((condition) => condition instanceof Prisma.Sql);
  const where = conditions.length > 0 ? Prisma.sql`WHERE ${Prisma.join(conditions, ' AND ')}` : Prisma.empty;
  return Prisma.sql`(SELECT * FROM domain ${where}) d`;
}

function problemCondition(ctx: ActorContext, problem: NonNullable<ListDomainStates['problem']>): Prisma.Sql {
  if (problem === 'dmarc_failures') {
    return Prisma.sql`EXISTS (SELECT FROM dmarc_day WHERE domain_id = domain.id AND day >= ${firstDay(ctx)}::date
                                                      AND messages > aligned + unknown)`;
  }
  if (problem === 'tls_failures') {
    return Prisma.sql`EXISTS (SELECT FROM tls_report WHERE domain_id = domain.id AND day >= ${firstDay(ctx)}::date
                                                       AND failed_sessions > 0)`;
  }
  return Prisma.sql`EXISTS (SELECT FROM dns_record WHERE domain_id = domain.id AND purpose = ${problem}
                                                     AND severity IN ('error', 'warning'))`;
}

const WORST_RECORDS = Prisma.sql`
  SELECT jsonb_object_agg(purpose, jsonb_build_object('status', status, 'severity', severity)) AS states,
         max(answered) AS answered
    FROM (SELECT DISTINCT ON (purpose) purpose, status, severity,
                 max(checked_at) FILTER (WHERE status <> 'temporary_error') OVER () AS answered
            FROM dns_record
           WHERE domain_id = d.id AND purpose = ANY (${[...DNS_STATE_PURPOSES]}::text[])
           ORDER BY purpose, array_position(ARRAY['error', 'warning', 'ok', 'info'], severity), position) worst`;

/** A text that orders like the value. Domains that have no value come last in either order. */
function rankOf(sort: ListDomainStates['sort'], order: ListDomainStates['order']): Prisma.Sql {
  const last = order === 'asc' ? '~' : '';
  if (sort === 'name') return Prisma.sql`d.name`;
  if (sort === 'dns_status') {
    return Prisma.sql`CASE d.dns_status WHEN 'error' THEN '3' WHEN 'warning' THEN '2' WHEN 'unchecked' THEN '1' ELSE '0' END`;
  }
  if (sort === 'dmarc_policy') {
    return Prisma.sql`
      CASE WHEN d.dns_checked_at IS NULL OR d.dmarc_policy = 'unknown' THEN '1'
           ELSE CASE coalesce(d.dmarc_policy, '') WHEN '' THEN '4' WHEN 'none' THEN '3' WHEN 'quarantine' THEN '2' ELSE '0' END END`;
  }
  if (sort === 'checked_at') {
    return Prisma.sql`coalesce(to_char(d.dns_checked_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS.MS'), ${last})`;
  }
  if (sort === 'tls_failures') return Prisma.sql`coalesce(lpad(tls.failed::text, 24, '0'), ${last})`;
  return Prisma.sql`coalesce(to_char(dmarc.passed / nullif(dmarc.passed + dmarc.failed, 0), 'FM0.000000000'), ${last})`;
}

/** The start of the UTC day a week ago, as in the results of one domain. */
function firstDay({ clock }: ActorContext): string {
  return new Date(clock.now().getTime() - REPORTED_DAYS * 24 * 3_600_000).toISOString().slice(0, 10);
}

type Row = {
  id: string;
  name: string;
  active: boolean;
  dnsStatus: DomainState['dns_status'];
  dmarcPolicy: DomainState['dmarc_policy'];
  mtaStsMode: DomainState['mta_sts_mode'];
  checkedAt: Date | null;
  answeredAt: Date | null;
  states: Partial<DomainState['records']> | null;
  messages: number | null;
  passed: number | null;
  failed: number | null;
  sessions: number | null;
  failedSessions: number | null;
  rank: string;
};

function present(row: Row): DomainState {
  const { messages, passed, failed, sessions, failedSessions } = row;
  const records = Object.fromEntries(DNS_STATE_PURPOSES.map((purpose) => [purpose, row.states?.[purpose] ?? null]));
  return {
    id: row.id,
    name: row.name,
    active: row.active,
    dns_status: row.dnsStatus,
    dmarc_policy: row.dmarcPolicy,
    mta_sts_mode: row.mtaStsMode,
    records: records as DomainState['records'],
    checked_at: row.checkedAt?.toISOString() ?? null,
    answered_at: row.answeredAt?.toISOString() ?? null,
    dmarc_reports:
      messages === null ? null : { messages: countOf(messages), passed: countOf(passed), failed: countOf(failed) },
    tls_reports: sessions === null ? null : { sessions: countOf(sessions), failed_sessions: countOf(failedSessions) },
  };
}

/** A sum as a number that JSON holds exactly; forged reports may claim more. */
function countOf(sum: number | null): number {
  return Math.min(sum ?? 0, Number.MAX_SAFE_INTEGER);
}
