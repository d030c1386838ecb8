import { Prisma } from '@/server/prisma/client';
import { client } from './plans';

const run = (query: Prisma.Sql) => client.query(query.text, query.values);

/** Inserts rows without triggers and builds the indexes after it, which takes a fraction of the time. */
async function fill(table: string, insert: Prisma.Sql): Promise<void> {
  const { rows: indexes } = await client.query(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename = $1 AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    [table],
  );
  for (const { name } of indexes) await client.query(`DROP INDEX "${name}"`);
  await client.query(`ALTER TABLE "${table}" DISABLE TRIGGER ALL`);
  await run(insert);
  await client.query(`ALTER TABLE "${table}" ENABLE TRIGGER ALL`);
  await client.query("SET maintenance_work_mem = '256MB'");
  for (const { definition } of indexes) await client.query(definition);
  await client.query(`VACUUM ANALYZE "${table}"`);
}

type Seed = { count: number; busyId: string; quietIds: string[] };

/** The oldest 40 rows are in the quiet domains, half of the others in the busy one, the rest in 300 domains. */
const domainOf = ({ count, busyId, quietIds }: Seed) => Prisma.sql`
  CASE WHEN n > ${count}::int - 40 THEN (${quietIds}::uuid[])[n % 2 + 1] WHEN n % 2 = 0 THEN ${busyId}::uuid
       ELSE ('00000000-0000-7000-8000-' || lpad((n % 600)::text, 12, '0'))::uuid END`;

export async function seedDomains(): Promise<void> {
  await run(Prisma.sql`
    INSERT INTO domain (id, name, updated_at)
    SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'domain' || n || '.example', now()
      FROM generate_series(1, 599, 2) AS n`);
  await client.query('VACUUM ANALYZE domain');
}

const OLD_FROM = 150_000;

/** The API keys of every thousandth message, and of the others of the busy domain. */
export const SEEDED_KEYS = {
  few: '00000000-0000-7000-8000-00000000a001',
  every: '00000000-0000-7000-8000-00000000a002',
};

/**
 * One message per minute, the last one now. Those of the busy domain are outbound and delivered, but for 10 old inbound and
 * 10 old bounced ones; of the others, every third is inbound, and every fifth bounced. Recipients are one of a single
 * message each, those of 1 in 20, 200 and 2000 messages, that of all, and one of the 10,000 oldest. The subject of number
 * 4,000 has the words of all others in another order.
 */
export async function seedMessages(seed: Seed): Promise<void> {
  const { count } = seed;
  await fill(
    'message',
    Prisma.sql`
      INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, to_addresses, subject,
                           search_key, size_bytes, status, api_key_id, created_at, updated_at)
      SELECT gen_random_uuid(), '<' || n || '@post.example>', 'Q' || n,
             ${domainOf(seed)},
             (CASE WHEN n % 6 = 1 OR n % 2 = 0 AND n BETWEEN ${OLD_FROM} AND ${OLD_FROM} + 19 THEN 'inbound'
                   ELSE 'outbound' END)::direction,
             'from' || n % 2000 || '@post.example', ARRAY['to' || n || '@far.example'], subject,
             ' ' || lower(subject) || E'\\n from' || n % 2000 || E'@post.example\\n to' || n || '@far.example', 1000,
             (CASE WHEN n % 10 = 5 OR n % 2 = 0 AND n BETWEEN ${OLD_FROM} + 20 AND ${OLD_FROM} + 39 THEN 'bounced'
                   ELSE 'delivered' END)::message_status,
             (CASE WHEN n % 1000 = 0 THEN ${SEEDED_KEYS.few} WHEN n % 2 = 0 THEN ${SEEDED_KEYS.every} END)::uuid, now() - n * interval '1 minute', now()
        FROM generate_series(1, ${count}::int) AS n,
             LATERAL (SELECT CASE n WHEN 4000 THEN 'Part of your order'
                                    ELSE 'Your order ' || md5(n::text) || ' of part ' || n % 500 END) AS s(subject)
       ORDER BY n DESC`,
  );
  await fill(
    'message_recipient',
    Prisma.sql`
      INSERT INTO message_recipient (id, message_id, address, kind, status, created_at, delivered_at)
      SELECT gen_random_uuid(), m.id, address || '@far.example', 'to', 'delivered', m.created_at,
             m.created_at + n % 3 * interval '1 second'
        FROM message m, LATERAL (SELECT substr(queue_id, 2)::int AS n) AS k,
             LATERAL unnest(ARRAY['every', 'to' || n, CASE n % 4 WHEN 0 THEN 'some' || n % 200 WHEN 2 THEN 'many' || n % 20
                                  WHEN 1 THEN 'few' || n % 2000 END, CASE WHEN n > ${count}::int - 10000 THEN 'old' END])
               AS a(address)
       WHERE address IS NOT NULL`,
  );
}

/** Tags of the messages of {@link seedMessages}: of all, of every hundredth, and of one of the oldest. */
export async function seedTags(): Promise<void> {
  await fill(
    'message_tag',
    Prisma.sql`
      INSERT INTO message_tag (message_id, tag, created_at)
      SELECT m.id, tag, m.created_at
        FROM message m, LATERAL (SELECT substr(queue_id, 2)::int AS n) AS k,
             LATERAL unnest(ARRAY['kind:all', CASE WHEN n % 100 = 0 THEN 'kind:some' END,
                                  CASE WHEN n = 199000 THEN 'kind:one' END]) AS t(tag)
       WHERE tag IS NOT NULL`,
  );
}

/** Mailboxes user1, user2, … and aliases info1, info2, … */
export async function seedDirectory(seed: Seed): Promise<void> {
  const rows = Prisma.sql`generate_series(1, ${seed.count}::int) AS n`;
  await fill(
    'mailbox',
    Prisma.sql`
      INSERT INTO mailbox (id, domain_id, local_part, password_hash, display_name, search_key, created_at, updated_at)
      SELECT gen_random_uuid(), ${domainOf(seed)}, 'user' || n, 'x', name, ' user' || n || E'\\n ' || lower(name),
             now() - n * interval '1 minute', now()
        FROM ${rows}, LATERAL (SELECT 'Person ' || substr(md5(n::text), 1, 6) || ' Smith') AS p(name)`,
  );
  await fill(
    'alias',
    Prisma.sql`
      INSERT INTO alias (id, domain_id, source_local_part, destination, destination_keys, search_key, created_at, updated_at)
      SELECT gen_random_uuid(), ${domainOf(seed)}, 'info' || n, name, ARRAY[name], ' info' || n || E'\\n ' || name,
             now() - n * interval '1 minute', now()
        FROM ${rows}, LATERAL (SELECT 'person.' || substr(md5(n::text), 1, 6) || '@far.example') AS p(name)`,
  );
}

/**
 * One closed alert per minute: warnings of the busy domain, and critical ones of other domains. Of the busy domain's, the
 * oldest five are open, and the five before them critical.
 */
export async function seedAlerts({ count, busyId, quietIds }: Seed): Promise<void> {
  await fill(
    'alert',
    Prisma.sql`
      INSERT INTO alert (id, kind, severity, status, subject, domain_id, count, expected, day, created_at, updated_at)
      SELECT gen_random_uuid(), 'rate_limited',
             (CASE WHEN n % 2 = 1 OR n BETWEEN ${count}::int - 19 AND ${count}::int - 10 THEN 'critical'
                   ELSE 'warning' END)::alert_severity,
             (CASE WHEN n % 2 = 0 AND n > ${count}::int - 10 THEN 'open' ELSE 'closed' END)::alert_status,
             'user' || n, CASE WHEN n % 2 = 0 THEN ${busyId}::uuid ELSE (${quietIds}::uuid[])[n % 4 / 2 + 1] END,
             1, 1, '2026-01-01', now() - n * interval '1 minute', now()
        FROM generate_series(1, ${count}::int) AS n`,
  );
}

/**
 * Suppressions of addr1@far.example, addr2@far.example, …, one per minute: bounces, but every hundredth was added by hand. Every
 * tenth is of all domains.
 */
export async function seedSuppressions(seed: Seed): Promise<void> {
  await fill(
    'suppression',
    Prisma.sql`
      INSERT INTO suppression (id, email, search_key, domain_id, reason, created_at)
      SELECT gen_random_uuid(), email, ' ' || email || E'\n far.example',
             CASE WHEN n % 10 = 9 AND n <= ${seed.count}::int - 40 THEN NULL ELSE ${domainOf(seed)} END,
             (CASE WHEN n % 100 = 50 THEN 'manual' ELSE 'bounce' END)::suppression_reason, now() - n * interval '1 minute'
        FROM generate_series(1, ${seed.count}::int) AS n, LATERAL (SELECT 'addr' || n || '@far.example') AS e(email)`,
  );
}
