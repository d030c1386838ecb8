import type { Actor } from './access/actor';
import type { Tx } from './db';
import type { AppError } from './errors';
import type { Prisma } from './prisma/client';
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

export type Entry = AuditRecord & Required<Pick<AuditRecord, 'outcome' | 'actor'>> & { action: string };

/** @param ctx the request, or its equivalent for mail submitted by SMTP */
export async function insertAuditEntry(tx: Tx, ctx: Pick<Context, 'request' | 'clock'>, entry: Entry): Promise<void> {
  const details = {
    ...(entry.before !== undefined && { before: entry.before }),
    ...(entry.after !== undefined && { after: entry.after }),
    ...entry.details,
  };
  await tx.auditEntry.create({
    select: { id: true },
    data: {
      adminId: entry.actor?.admin.id ?? null,
      adminEmail: entry.actor?.admin.email ?? entry.email ?? null,
      apiKeyId: entry.actor?.key?.id ?? null,
      action: entry.action,
      resource: entry.resource,
      domainId: entry.domainId ?? null,
      ipAddress: ctx.request.ip,
      userAgent: ctx.request.userAgent,
      requestId: ctx.request.id,
      outcome: entry.outcome,
      details: storable(details) as Prisma.InputJsonObject,
      createdAt: ctx.clock.now(),
    },
  });
}

// Postgres stores neither NUL nor lone surrogates in JSON.
function storable(details: object): unknown {
  return JSON.parse(
    JSON.stringify(details, (_, value) =>
      typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
    ),
  );
}

/** The entry of a rejected call (403, 404, 409). */
export function refusalEntry(action: string, actor: Actor | null, input: unknown, error: AppError): Entry {
  const { id, domain_id: domainId } = (input ?? {}) as { id?: string; domain_id?: string };
  const type = action.split('.')[0];
  return {
    action,
    outcome: 'denied',
    actor,
    resource: id ? `${type}:${id}` : `${type}`,
    domainId: domainId ?? (type === 'domain' ? id : null),
    details: { code: error.apiCode, message: error.message },
  };
}
