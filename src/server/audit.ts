import type { AuditAction } from '@/lib/texts/audit-actions';
import { uuidv7 } from '@/lib/uuid';
import type { Actor } from './access/actor';
import { accessibleDomainIds } from './access/authorize';
import type { Tx } from './database/db';
import { jsonParameter } from './database/json-parameter';
import type { AppError } from './errors';
import type { Context } from './procedures/context';

export type AuditRecord = {
  /** `<type>:<id>` */
  resource: string;
  domainId?: string | null;
  /** Wire records before and after the change, without secrets. */
  before?: object | null;
  after?: object | null;
  /** Further facts about the change. */
  details?: object;
  outcome?: 'success' | 'denied' | 'error';
  /** The actor, if it isn't the authenticated caller: sign-in and setup. */
  actor?: { admin: { id: string; email: string }; key: { id: string } | null } | null;
  /** The address that a failed sign-in used. */
  email?: string;
};

/** The request, or its equivalent for mail submitted by SMTP. */
type RequestFacts = Pick<Context, 'request' | 'clock'>;

export type Entry = AuditRecord & Required<Pick<AuditRecord, 'outcome' | 'actor'>> & { action: AuditAction };

/** An entry by the columns of audit_entry. */
export type AuditRow = { id: string } & Record<string, unknown>;

export async function insertAuditEntry(tx: Tx, ctx: RequestFacts, entry: Entry): Promise<void> {
  await tx.$executeRaw`/* prepared */
    INSERT INTO audit_entry
    SELECT * FROM jsonb_populate_record(NULL::audit_entry, ${jsonParameter(auditRow(ctx, entry))}::jsonb)`;
}

export function auditRow(ctx: RequestFacts, entry: Entry): AuditRow {
  const details = {
    ...(entry.before !== undefined && { before: entry.before }),
    ...(entry.after !== undefined && { after: entry.after }),
    ...entry.details,
  };
  return {
    id: uuidv7(),
    admin_id: entry.actor?.admin.id ?? null,
    admin_email: entry.actor?.admin.email ?? entry.email ?? null,
    api_key_id: entry.actor?.key?.id ?? null,
    action: entry.action,
    resource: entry.resource,
    domain_id: entry.domainId ?? null,
    ip_address: ctx.request.ip,
    user_agent: ctx.request.userAgent,
    request_id: ctx.request.id,
    outcome: entry.outcome,
    details,
    created_at: ctx.clock.now(),
  };
}

/** The entry of a rejected call (403, 404, 409, 412, 422). The log of a domain that the caller has no access to doesn't show it. */
export function refusalEntry(action: AuditAction, actor: Actor | null, input: unknown, error: AppError): Entry {
  const { id, domain_id: domainId } = (input ?? {}) as { id?: string; domain_id?: string };
  const type = action.split('.')[0];
  const target = domainId ?? (type === 'domain' ? id : undefined);
  const ids = actor && accessibleDomainIds(actor);
  const isForeign = ids !== null && target !== undefined && !ids.includes(target);
  return {
    action,
    outcome: 'denied',
    actor,
    resource: id ? `${type}:${id}` : `${type}`,
    domainId: isForeign ? null : target,
    details: { code: error.apiCode, message: error.message, ...(isForeign && { domain_id: target }) },
  };
}
