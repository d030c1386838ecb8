import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';
import type { Range } from './period/period';
import { DAY_MS, HOUR_MS, QUARTER_MS, type TimeSpan } from './period/points';
import type { Dimension } from './schema';

/** The rows that are the sum of all domains. */
const ALL_DOMAINS = '00000000-0000-0000-0000-000000000000';

/** `domainIds` is null for all domains. */
export type Selected = { range: Range; domainIds: string[] | null };

/** `part` is 0 for the period before, then the index of the point plus 1. */
export type CountRow = { part: number; direction: 'outbound' | 'inbound'; status: string; count: number };
export type DeliveryRow = { part: number; bin: number; count: number };
export type ValueRow = { value: string; direction: 'outbound' | 'inbound'; status: string; count: number };

/** Messages by part and status. */
export function readCounts(db: Tx, { range, domainIds }: Selected): Promise<CountRow[]> {
  const rows = rowsOf(
    'analytics_count',
    Prisma.sql`t.direction, t.status`,
    seriesSegments(range, 'quarter'),
    domainIds,
  );
  return queryMany(
    db,
    Prisma.sql`
      SELECT ${partOf(range)} AS part, direction, status, sum(count) AS count FROM (${rows}) AS r GROUP BY 1, 2, 3`,
  );
}

/** Delivered recipients by part and time that delivery took. */
export function readDeliveries(db: Tx, { range, domainIds }: Selected): Promise<DeliveryRow[]> {
  const rows = rowsOf('analytics_delivery', Prisma.sql`t.bin`, seriesSegments(range, 'quarter'), domainIds);
  return queryMany(
    db,
    Prisma.sql`
      SELECT ${partOf(range)} AS part, bin, sum(count) AS count
        FROM (${rows}) AS r GROUP BY 1, 2 HAVING sum(count) > 0`,
  );
}

/** Outbound messages of one sender by part and status. */
export function readSenderCounts(db: Tx, { range, domainIds }: Selected, sender: string): Promise<CountRow[]> {
  const only = Prisma.sql`AND t.dimension = 'sender' AND t.value = ${sender}`;
  const rows = rowsOf('analytics_breakdown', Prisma.sql`t.status`, seriesSegments(range, 'hour'), domainIds, only);
  return db.$queryRaw`
    SELECT ${partOf(range)} AS part, 'outbound' AS direction, status, sum(count)::float8 AS count
      FROM (${rows}) AS r GROUP BY 1, 2, 3`;
}

/** The largest values of a dimension, and the sum of the others as an empty value. */
export function readValues(
  db: Tx,
  { range, domainIds }: Selected,
  { dimension, limit }: { dimension: Dimension; limit: number },
): Promise<ValueRow[]> {
  const isDomain = dimension === 'domain';
  const rows = isDomain
    ? domainRows(segmentsOf(range, { finest: 'quarter', coarsest: 'day' }), domainIds)
    : rowsOf(
        'analytics_breakdown',
        Prisma.sql`t.value, 'outbound'::direction AS direction, t.status`,
        segmentsOf(range, { finest: 'hour', coarsest: 'day' }),
        domainIds,
        Prisma.sql`AND t.dimension = ${dimension}`,
      );
  return db.$queryRaw`
    WITH summed AS (
      SELECT value::text, direction, status, count
        FROM (SELECT value, direction, status, sum(count) AS count FROM (${rows}) AS r GROUP BY 1, 2, 3) AS s
    ), largest AS (
      SELECT value FROM summed WHERE value <> '' GROUP BY 1 HAVING sum(count) > 0
       ORDER BY sum(count) DESC, value LIMIT ${limit}
    )
    SELECT coalesce(l.value, '') AS value, direction::text, status, sum(count)::float8 AS count
      FROM summed LEFT JOIN largest l USING (value) GROUP BY 1, 2, 3 HAVING sum(count) > 0`;
}

/** Thousands of rows as one text, because Prisma takes long for each. */
async function queryMany<Row>(db: Tx, rows: Prisma.Sql): Promise<Row[]> {
  const [{ json }] = await db.$queryRaw<
    [{ json: string | null }]
  >`SELECT json_agg(t)::text AS json FROM (${rows}) AS t`;
  return json === null ? [] : JSON.parse(json);
}

/** The points of a series, and the period before as one part. */
function seriesSegments(range: Range, finest: Level): Segment[] {
  const coarsest = levelOf(range.points.slice(1));
  return [
    ...segmentsOf(range.previous, { finest, coarsest: 'day' }),
    ...segmentsOf(range, { finest, coarsest: coarsest === 'quarter' ? finest : coarsest }),
  ];
}

function partOf({ points, previous }: Range): Prisma.Sql {
  return Prisma.sql`width_bucket(r.at, ${[previous.start, ...points]}::timestamptz[]) - 1`;
}

/** Selects the counts and the changes not yet added to them, in one statement, so that each change is in exactly one of the two. */
function rowsOf(
  table: 'analytics_count' | 'analytics_delivery' | 'analytics_breakdown',
  columns: Prisma.Sql,
  segments: Segment[],
  domainIds: string[] | null,
  condition = Prisma.empty,
): Prisma.Sql {
  const source = Prisma.sql`${inSegments(segments)} CROSS JOIN unnest(${domainIds ?? [ALL_DOMAINS]}::uuid[]) AS d(id)`;
  const isSelected = Prisma.sql`
    t.domain_id = d.id AND t.level = s.level AND t.at >= s.since AND t.at < s.until ${condition}`;
  return Prisma.sql`
    SELECT r.* FROM ${source}, LATERAL (
      SELECT t.at, ${columns}, t.count FROM ${Prisma.raw(table)} t WHERE ${isSelected} ${SEGMENT_BY_SEGMENT}) AS r
    UNION ALL
    SELECT t.at, ${columns}, t.delta FROM ${source} JOIN ${Prisma.raw(PENDING[table])} t ON ${isSelected}`;
}

// Postgres takes segments for a large part of the table, and would join them with all rows of the domain or level.
const SEGMENT_BY_SEGMENT = Prisma.sql`OFFSET 0`;

const PENDING = {
  analytics_count: 'analytics_pending_count',
  analytics_delivery: 'analytics_pending_delivery',
  analytics_breakdown: 'analytics_pending_breakdown',
} as const;

/** The counts of each domain. Without ids, those of every domain, which is why the index starts with the level. */
function domainRows(segments: Segment[], domainIds: string[] | null): Prisma.Sql {
  const which = domainIds
    ? Prisma.sql`t.domain_id = ANY(${domainIds}::uuid[])`
    : Prisma.sql`t.domain_id <> ${ALL_DOMAINS}::uuid`;
  const columns = Prisma.sql`t.domain_id AS value, t.direction, t.status`;
  // One by one, so that Postgres reads all of a level for a long segment, and an index for a short one.
  const counted = segments.map(
    ({ level, from, to }) => Prisma.sql`
      SELECT ${columns}, t.count FROM analytics_count t
       WHERE t.level = ${Prisma.raw(`'${level}'`)} AND t.at >= ${from} AND t.at < ${to} AND ${which}`,
  );
  return Prisma.sql`
    ${Prisma.join(counted, ' UNION ALL ')}
    UNION ALL
    SELECT ${columns}, t.delta
      FROM ${inSegments(segments)} JOIN analytics_pending_count t
        ON t.level = s.level AND t.at >= s.since AND t.at < s.until AND ${which}`;
}

function inSegments(segments: Segment[]): Prisma.Sql {
  return Prisma.sql`unnest(${segments.map(({ level }) => level)}::analytics_level[],
                           ${segments.map(({ from }) => from)}::timestamptz[],
                           ${segments.map(({ to }) => to)}::timestamptz[]) AS s(level, since, until)`;
}

const LEVELS = ['quarter', 'hour', 'day'] as const;
type Level = (typeof LEVELS)[number];

const LENGTH_MS: Record<Level, number> = { quarter: QUARTER_MS, hour: HOUR_MS, day: DAY_MS };

/** Rows of one level in a time range. */
type Segment = { level: Level; from: Date; to: Date };

/** The fewest rows that cover a time span: days in its middle, hours and quarters of an hour at its ends. */
function segmentsOf({ start, end }: TimeSpan, { finest, coarsest }: { finest: Level; coarsest: Level }): Segment[] {
  const levels = LEVELS.slice(LEVELS.indexOf(finest), LEVELS.indexOf(coarsest) + 1);
  const finestMs = LENGTH_MS[finest];
  const first = Math.floor(start.getTime() / finestMs) * finestMs;
  return cover(first, Math.ceil(end.getTime() / finestMs) * finestMs, levels);
}

function cover(from: number, to: number, levels: Level[]): Segment[] {
  const level = levels.at(-1);
  if (level === undefined || from >= to) return [];
  const rest = levels.slice(0, -1);
  const lengthMs = LENGTH_MS[level];
  const [first, last] = [Math.ceil(from / lengthMs) * lengthMs, Math.floor(to / lengthMs) * lengthMs];
  if (first >= last) return cover(from, to, rest);
  const whole = { level, from: new Date(first), to: new Date(last) };
  return [...cover(from, first, rest), whole, ...cover(last, to, rest)];
}

/** The coarsest level whose rows are each in one part, if the parts start at these times. */
function levelOf(starts: readonly Date[]): Level {
  const isStart = (level: Level) => starts.every((at) => at.getTime() % LENGTH_MS[level] === 0);
  return LEVELS.findLast(isStart) ?? 'quarter';
}
