import { EXPIRES_SOON_DAYS } from '@/lib/access/key-permissions';
import { hasRole } from '@/lib/access/roles';
import { formatCount, formatPlural } from '@/lib/format';
import { HEALTH_CHECKS } from '@/lib/health/catalog';
import { brokenRecordsText } from '@/lib/mail/dns-purposes';
import { NEARLY_FULL_PERCENT } from '@/lib/mail/fullness';
import { isAboutSystem } from '@/lib/texts/alert-subject';
import { sentText } from '@/lib/texts/alert-texts';
import type { Alert } from '@/modules/alerts/schema';
import { describeAlert } from '@/modules/alerts/service';
import type { DnsRecordStatus } from '@/modules/domains/schema';
import { accessibleDomainIds, authorizeDomain } from '@/server/access/authorize';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { env } from '@/server/settings/env';
import {
  ATTENTION_SECTIONS,
  type Attention,
  type AttentionItem,
  type AttentionSection,
  type GetOverview,
  MAX_ATTENTION_COUNT,
} from './schema';

const SHOWN_PER_SECTION = 5;

/**
 * Reads what needs attention in one statement, at most 100 rows of each kind, because every page of the console shows how
 * many there are. Domain admins see their domains and mailboxes.
 * @throws the errors of authorizeDomain
 */
export async function getAttention(ctx: ActorContext, { domain_id: domainId }: GetOverview): Promise<Attention> {
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const ids = domainId ? [domainId] : accessibleDomainIds(ctx.actor);
  const canSeeAlerts = hasRole(ctx.actor.admin.role, 'admin');
  const sources = [brokenDomains(ids), suspendedMailboxes(ids), fullMailboxes(ids), expiringKeys(ctx, domainId)];
  if (canSeeAlerts) sources.push(failingWebhooks(ids), openAlerts(domainId));
  const canSeeSystem = hasRole(ctx.actor.admin.role, 'super_admin');
  if (canSeeSystem) sources.push(DRIFTED_SERVICES);
  const [{ rows, openCount, criticalCount, hasWebhook }] = await ctx.db.$queryRaw<
    [{ rows: Row[]; openCount: number; criticalCount: number; hasWebhook: boolean }]
  >`
    SELECT (SELECT coalesce(json_agg(row), '[]') FROM (${Prisma.join(sources, ' UNION ALL ')}) row) AS rows,
           ${canSeeAlerts ? countListed(domainId) : Prisma.sql`0`} AS "openCount",
           ${canSeeAlerts ? countListed(domainId, 'critical') : Prisma.sql`0`} AS "criticalCount",
           EXISTS (SELECT FROM webhook WHERE active AND 'system.alert' = ANY(events)) AS "hasWebhook"`;
  const items = rows.map((row) => present(row, sectionOf(row, canSeeSystem)));
  const isCritical = (item: AttentionItem) => item.severity === 'critical';
  const bySection = ATTENTION_SECTIONS.flatMap((section) => {
    const found = items
      .filter((item) => item.section === section)
      .sort((one, other) => Number(isCritical(other)) - Number(isCritical(one)));
    return found.length > 0 ? [{ section, found }] : [];
  });
  const countsOf = (isCounted: (item: AttentionItem) => boolean) =>
    Object.fromEntries(
      bySection.map(({ section, found }) => [section, Math.min(found.filter(isCounted).length, MAX_ATTENTION_COUNT)]),
    );
  return {
    items: bySection.flatMap(({ found }) => found.slice(0, SHOWN_PER_SECTION)),
    counts: countsOf(() => true),
    critical_counts: { ...countsOf(isCritical), alerts: criticalCount },
    open_alerts: openCount,
    notifies_nobody: canSeeSystem && openCount > 0 && env().alertEmails.length === 0 && !hasWebhook,
    suspended_mailboxes: items.filter(({ kind }) => kind === 'mailbox_suspended').length,
  };
}

type Row = {
  kind: AttentionItem['kind'];
  severity: Alert['severity'];
  id: string;
  subject: string;
  text: string;
  count: number;
  expected: number;
  recordStatus: DnsRecordStatus | null;
  at: string | null;
};

/**
 * Active domains whose mail depends on DNS records that are missing or wrong. One whose records were never right is being set
 * up on its first day.
 */
function brokenDomains(ids: string[] | null): Prisma.Sql {
  return Prisma.sql`
    SELECT 'dns_broken' AS kind, 'critical' AS severity, d.id, d.name AS subject, r.message AS text, r.count,
           0::float8 AS expected, r.status AS "recordStatus", d.at
      FROM (SELECT domain.id, name, raised.at FROM domain
              LEFT JOIN LATERAL (SELECT min(created_at) AS at FROM alert
                                  WHERE kind = 'dns_broken' AND subject = domain.name AND day IS NULL
                                    AND status <> 'closed') AS raised ON true
             WHERE active AND dns_status = 'error' AND ${within(Prisma.sql`domain.id`, ids)}
               AND (created_at < now() - interval '1 day' OR raised.at IS NOT NULL)
             ORDER BY name LIMIT ${MAX_ATTENTION_COUNT}) AS d
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS count, (array_agg(status ORDER BY position))[1] AS status,
              (array_agg(message ORDER BY position))[1] AS message
         FROM dns_record WHERE domain_id = d.id AND required AND severity = 'error') AS r
     WHERE r.count > 0`;
}

/** A mailbox that an admin suspended is known, and only a warning. */
function suspendedMailboxes(ids: string[] | null): Prisma.Sql {
  return Prisma.sql`
    (SELECT 'mailbox_suspended', CASE m.suspension_reason WHEN 'manual' THEN 'warning' ELSE 'critical' END, m.id,
            m.local_part || '@' || d.name, m.suspension_note, 0, 0, NULL, m.suspended_at
       FROM mailbox m JOIN domain d ON d.id = m.domain_id
      WHERE m.suspended_at IS NOT NULL AND ${within(Prisma.sql`m.domain_id`, ids)}
      ORDER BY m.suspended_at DESC LIMIT ${MAX_ATTENTION_COUNT})`;
}

/** The newest deferred messages whose recipients are looked at: few servers have more. */
const DEFERRED_LOOKED_AT = 1_000;

/**
 * A full mailbox is reported with the messages that wait for it in the queue, also those that an alias leads to it: the trace
 * names the mailbox.
 */
function fullMailboxes(ids: string[] | null): Prisma.Sql {
  return Prisma.sql`
    (SELECT 'mailbox_full', CASE WHEN f.percent_full < 100 THEN 'warning' ELSE 'critical' END, f.id, f.address, '',
            f.percent_full, coalesce(waiting.count, 0), NULL, waiting.since
       FROM (SELECT m.id, m.percent_full, m.local_part || '@' || d.name AS address
               FROM mailbox m JOIN domain d ON d.id = m.domain_id
              WHERE m.percent_full >= ${NEARLY_FULL_PERCENT} AND m.active AND m.suspended_at IS NULL
                AND ${within(Prisma.sql`m.domain_id`, ids)}
              ORDER BY m.percent_full DESC, m.id DESC LIMIT ${MAX_ATTENTION_COUNT}) AS f
       LEFT JOIN (
         SELECT e.recipient, least(count(DISTINCT newest.id), ${MAX_ATTENTION_COUNT})::int AS count,
                min(newest.created_at) AS since
           FROM (SELECT id, created_at FROM message
                  WHERE direction = 'inbound' AND status = 'deferred' AND created_at > now() - interval '10 days'
                  ORDER BY created_at DESC LIMIT ${DEFERRED_LOOKED_AT}) AS newest
           JOIN message_event e ON e.message_id = newest.id AND e.type = 'deferred'
          GROUP BY e.recipient) AS waiting ON waiting.recipient = f.address AND f.percent_full >= 100
      ORDER BY f.percent_full DESC, f.id DESC)`;
}

function failingWebhooks(ids: string[] | null): Prisma.Sql {
  return Prisma.sql`
    (SELECT 'webhook_failing', 'critical', id, url, name, failures_in_row, 0, NULL, failing_since
       FROM webhook WHERE active AND failures_in_row > 0 AND ${within(Prisma.sql`domain_id`, ids)}
      ORDER BY failing_since LIMIT ${MAX_ATTENTION_COUNT})`;
}

/** Services of mail servers with files that aren't as the settings generate them. The id is made of the table's key. */
const DRIFTED_SERVICES = Prisma.sql`
  (SELECT 'files_differ', 'warning',
          overlay(overlay(md5(host || ' ' || service) PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid,
          service || ' on ' || host, drift->0->>'path', jsonb_array_length(drift), 0, NULL, NULL
     FROM mail_service WHERE drift NOT IN ('[]', 'null')
    ORDER BY host, service LIMIT ${MAX_ATTENTION_COUNT})`;

/** Keys that were used within a week and expire soon. Super admins see those of all admins. */
function expiringKeys({ actor: { admin } }: ActorContext, domainId: string | undefined): Prisma.Sql {
  const scope = domainId
    ? Prisma.sql`(scoped_domain_ids = '{}' OR ${domainId}::uuid = ANY(scoped_domain_ids))`
    : Prisma.sql`true`;
  return Prisma.sql`
    (SELECT 'key_expiring', 'warning', id, name, '', ceil(extract(epoch FROM expires_at - now()) / 86400)::int, 0, NULL,
            NULL
       FROM api_key
      WHERE expires_at > now() AND expires_at < now() + make_interval(days => ${EXPIRES_SOON_DAYS}) AND last_used_at > now() - interval '7 days'
        AND (admin_id = ${admin.id}::uuid OR ${hasRole(admin.role, 'super_admin')}) AND ${scope}
      ORDER BY expires_at LIMIT ${MAX_ATTENTION_COUNT})`;
}

/** Alerts about a domain, a mailbox or a webhook are about the same object as the rows above, so they aren't shown again. */
const SHOWN_BY_OBJECT: Alert['kind'][] = ['dns_broken', 'mailbox_suspended', 'webhook_failing'];

/** Selects the open alerts of a domain, and those about the system, which concern every domain. */
function openAlerts(domainId: string | undefined): Prisma.Sql {
  const scope = domainId ? Prisma.sql`(domain_id = ${domainId}::uuid OR domain_id IS NULL)` : Prisma.sql`true`;
  return Prisma.sql`
    (SELECT kind::text, severity::text, id, subject, text, count, expected, NULL, created_at
       FROM alert WHERE status = 'open' AND kind <> ALL(${SHOWN_BY_OBJECT}::alert_kind[]) AND ${scope}
      ORDER BY created_at DESC, id DESC LIMIT ${MAX_ATTENTION_COUNT})`;
}

/** Counts the alerts that the page of alerts lists. With a domain, it lists none about the system. */
function countListed(domainId: string | undefined, severity?: Alert['severity']): Prisma.Sql {
  const scope = domainId ? Prisma.sql`domain_id = ${domainId}::uuid` : Prisma.sql`true`;
  const of = severity ? Prisma.sql`severity = ${severity}::alert_severity` : Prisma.sql`true`;
  return Prisma.sql`
    (SELECT count(*)::int FROM (SELECT FROM alert WHERE status = 'open' AND ${scope} AND ${of} LIMIT ${MAX_ATTENTION_COUNT}) listed)`;
}

function within(column: Prisma.Sql, ids: string[] | null): Prisma.Sql {
  return ids ? Prisma.sql`${column} = ANY(${ids}::uuid[])` : Prisma.sql`true`;
}

const SECTION_OF_KIND: Partial<Record<AttentionItem['kind'], AttentionSection>> = {
  dns_broken: 'domains',
  mailbox_suspended: 'mailboxes',
  mailbox_full: 'mailboxes',
  webhook_failing: 'webhooks',
  key_expiring: 'api-keys',
  files_differ: 'services',
};
const QUEUE_CHECKS = [HEALTH_CHECKS.queue.title, HEALTH_CHECKS.queue_age.title];
const BACKUP_CHECKS = [HEALTH_CHECKS.backup.title, HEALTH_CHECKS.backup_proof.title];

/** @param canSeeSystem otherwise the caller finds alerts of the system among the others */
function sectionOf({ kind, subject }: Row, canSeeSystem: boolean): AttentionSection {
  const section = SECTION_OF_KIND[kind];
  if (section) return section;
  if (!isAboutSystem(kind)) return 'alerts';
  // The subject of a check by host is its title and the host.
  const isOf = (titles: string[]) => titles.some((title) => subject === title || subject.startsWith(`${title} (`));
  if (isOf(QUEUE_CHECKS)) return 'queue';
  if (!canSeeSystem) return 'alerts';
  return isOf(BACKUP_CHECKS) ? 'backups' : 'health';
}

function present(row: Row, section: AttentionSection): AttentionItem {
  const { kind, severity, id, recordStatus } = row;
  const subject = kind === 'webhook_failing' ? new URL(row.subject).host : row.subject;
  const at = row.at === null ? null : new Date(row.at).toISOString();
  return { section, kind, severity, id, subject, reason: reasonOf(row), record_status: recordStatus, at };
}

function reasonOf(row: Row): string {
  const { kind, count, text } = row;
  if (kind === 'dns_broken') return brokenRecordsText(text, count);
  if (kind === 'mailbox_suspended') return text || 'The mailbox can’t send. It still receives mail.';
  if (kind === 'mailbox_full') return fullText(row);
  if (kind === 'key_expiring') return `It was used this week, and expires in ${formatPlural(count, 'day')}.`;
  if (kind === 'files_differ')
    return count === 1
      ? `${text} isn’t as the settings generate it.`
      : `${formatCount(count)} files aren’t as the settings generate them.`;
  if (kind === 'webhook_failing') {
    const name = text && `${text}: `;
    return count === 1 ? `${name}The last attempt failed.` : `${name}${formatCount(count)} failed attempts in a row.`;
  }
  if (kind === 'rate_limited' || kind === 'volume_spike') return sentText(row);
  return isAboutSystem(kind) ? text : describeAlert({ ...row, kind });
}

function fullText({ count, expected: waiting }: Row): string {
  const used = `${count}% of its quota used.`;
  if (count < 100) return `${used} A full mailbox rejects new mail.`;
  if (waiting === 0) return `${used} It rejects new mail.`;
  const isMore = waiting === MAX_ATTENTION_COUNT;
  const messages = `${formatCount(waiting)}${isMore ? '+' : ''} ${waiting === 1 ? 'message waits' : 'messages wait'}`;
  return `${used} It rejects new mail: ${messages} in the queue.`;
}
