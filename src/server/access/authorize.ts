import { isAmongSenders, type KeyPermission } from '@/lib/access/key-permissions';
import { hasRole, type Role } from '@/lib/access/roles';
import { AppError } from '../errors';
import { isInRanges, parseAddress, parseRange } from '../http/address-ranges';
import type { ActorContext } from '../procedures/context';
import type { Actor, ActorKey } from './actor';

declare const authorized: unique symbol;

export type FoundDomain = { readonly id: string; readonly name: string; readonly active: boolean };

/** A domain that the caller has access to. Only this file creates one. */
export type AuthorizedDomain = FoundDomain & { readonly [authorized]: true };

type DomainOptions = {
  /** 404 for a missing domain, except 403 on send (docs/api-contract.md, Errors). */
  missingStatus?: 403 | 404;
  /** For reads: an inactive domain's data stays readable. */
  allowInactive?: boolean;
};

/**
 * Checks access to a domain that the request names, in the order of docs/api-contract.md.
 * @throws DOMAIN_NOT_FOUND, FORBIDDEN, API_KEY_DOMAIN_SCOPE or DOMAIN_INACTIVE
 */
export async function authorizeDomain(
  ctx: Pick<ActorContext, 'db' | 'actor'>,
  where: { id: string } | { name: string },
  options: DomainOptions = {},
): Promise<AuthorizedDomain> {
  const domain = await ctx.db.domain.findUnique({ where, select: { id: true, name: true, active: true } });
  return requireAccess(ctx.actor, domain, 'name' in where ? `The domain ${where.name}` : 'That domain', options);
}

/** Like {@link authorizeDomain}, for a domain that was looked up before. @param subject names it if there is none */
export function requireAccess(
  actor: Actor,
  domain: FoundDomain | null,
  subject: string,
  options: DomainOptions = {},
): AuthorizedDomain {
  const checked = checkAccess(actor, domain, subject, options);
  if (checked instanceof AppError) throw checked;
  return checked;
}

/** Like {@link requireAccess}, but returns the error. */
export function checkAccess(
  actor: Actor,
  domain: FoundDomain | null,
  subject: string,
  options: DomainOptions = {},
): AuthorizedDomain | AppError {
  if (!domain) {
    return new AppError('DOMAIN_NOT_FOUND', `${subject} is not managed by this server.`, {
      status: options.missingStatus ?? 404,
    });
  }
  if (!isAssigned(actor, domain.id)) {
    return new AppError('FORBIDDEN', `You are not assigned to the domain ${domain.name}.`);
  }
  if (!isInKeyScope(actor, domain.id)) {
    return new AppError('API_KEY_DOMAIN_SCOPE', `This API key is not scoped to the domain ${domain.name}.`);
  }
  if (!domain.active && !options.allowInactive) {
    return new AppError('DOMAIN_INACTIVE', `The domain ${domain.name} is inactive.`);
  }
  return domain as AuthorizedDomain;
}

/** The ids of the domains in the caller's domain scope; null means all. */
export function accessibleDomainIds(actor: Actor): string[] | null {
  const assigned = hasRole(actor.admin.role, 'admin') ? null : actor.assignedDomainIds;
  const scoped = isScoped(actor) ? (actor.key?.scopedDomainIds ?? []) : null;
  if (assigned && scoped) return scoped.filter((id) => assigned.includes(id));
  const ids = assigned ?? scoped;
  return ids && [...ids];
}

/** Restricts a WHERE clause to the caller's domain scope. */
export function domainFilter(actor: Actor): { domainId?: { in: string[] } } {
  const ids = accessibleDomainIds(actor);
  return ids ? { domainId: { in: ids } } : {};
}

export function isScoped(actor: Actor): boolean {
  return actor.key?.isScoped === true;
}

/** Checks what the caller's key may do. @throws FORBIDDEN, with the required permission in its details */
export function requirePermission(actor: Actor, required: KeyPermission): void {
  if (hasPermission(actor, required)) return;
  throw new AppError('FORBIDDEN', `This API key doesn’t have the permission "${required}".`, {
    details: { required_permission: required },
  });
}

export function hasPermission({ key }: Actor, permission: KeyPermission): boolean {
  return !key || key.permissions.includes(permission);
}

/** Checks from where a key is used. @throws FORBIDDEN */
export function requireAllowedAddress({ allowedIps }: ActorKey, ip: string): void {
  if (allowedIps.length === 0) return;
  const address = parseAddress(ip);
  if (address && isInRanges(address, allowedIps.map(parseRange))) return;
  throw new AppError('FORBIDDEN', `This API key can’t be used from ${ip}.`);
}

/** Checks as whom a key sends. @throws FORBIDDEN */
export function requireSender({ key }: Actor, address: string): void {
  if (!key || key.senders.length === 0 || isAmongSenders(address, key.senders)) return;
  throw new AppError('FORBIDDEN', `This API key can’t send as ${address}.`);
}

/** @throws FORBIDDEN, with the required role in its details */
export function requireRole(actor: Actor, required: Role): void {
  if (hasRole(actor.admin.role, required)) return;
  throw new AppError('FORBIDDEN', `This requires the role ${required}.`, { details: { required_role: required } });
}

function isAssigned(actor: Actor, domainId: string): boolean {
  return hasRole(actor.admin.role, 'admin') || actor.assignedDomainIds.includes(domainId);
}

function isInKeyScope(actor: Actor, domainId: string): boolean {
  return !isScoped(actor) || actor.key?.scopedDomainIds.includes(domainId) === true;
}
