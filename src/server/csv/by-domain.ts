import { normalizeDomainName } from '@/lib/mail/address';
import { type AuthorizedDomain, type FoundDomain, requireAccess } from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import type { CsvLine } from './read-csv';

export type Rejection = { code: string; message: string };

/** The rows of one domain, or rows that can't be imported into any and why. */
export type DomainLines = { domain: AuthorizedDomain; lines: CsvLine[] };
export type RejectedLine = { line: CsvLine; rejection: Rejection };

type File = {
  /** The domain that all rows are imported into. Null: each into the domain of its address. */
  domain: AuthorizedDomain | null;
  lines: CsvLine[];
  addressColumn: string;
};

/**
 * Returns the rows of a file by the domain that they are imported into, in the order of the domains' names. A row whose domain the
 * caller may not use is rejected by itself.
 */
export async function linesByDomain(
  ctx: MutationContext,
  { domain: only, lines, addressColumn }: File,
): Promise<{ ofDomains: DomainLines[]; rejected: RejectedLine[] }> {
  if (only) return { ofDomains: [{ domain: only, lines }], rejected: [] };
  const named = lines.map((line) => ({ line, name: domainNameOf(line.values[addressColumn] ?? '') }));
  const names = [...new Set(named.flatMap(({ name }) => (name === null ? [] : [name])))].toSorted();
  const access = await accessTo(ctx, names);
  const rejected = named.flatMap(({ line, name }) => {
    const found = name === null ? NO_DOMAIN : access.get(name);
    return found && 'code' in found ? [{ line, rejection: rejectionOfRow(line, found) }] : [];
  });
  const ofDomains = names.flatMap((name) => {
    const domain = access.get(name);
    if (!domain || 'code' in domain) return [];
    return [{ domain, lines: named.filter((each) => each.name === name).map(({ line }) => line) }];
  });
  return { ofDomains, rejected };
}

/** Returns why none of a domain's rows can be imported any more, if the error is about that domain alone. @throws any other error */
export function rejectionOfDomain(error: unknown): Rejection {
  if (error instanceof AppError && OF_DOMAIN.has(error.apiCode)) return { code: error.apiCode, message: error.message };
  throw error;
}

const OF_DOMAIN = new Set(['CONFLICT', 'DOMAIN_NOT_FOUND']);

const NO_DOMAIN: Rejection = {
  code: 'VALIDATION_ERROR',
  message: 'This address has no domain. Enter the whole address, or import the file into one domain.',
};

function domainNameOf(address: string): string | null {
  const at = address.lastIndexOf('@');
  return at < 0 ? null : normalizeDomainName(address.slice(at + 1));
}

/** A row with a cell too many may have its address in another column. */
function rejectionOfRow({ problem }: CsvLine, rejection: Rejection): Rejection {
  return problem === null ? rejection : { code: 'VALIDATION_ERROR', message: problem };
}

async function accessTo(ctx: MutationContext, names: string[]): Promise<Map<string, AuthorizedDomain | Rejection>> {
  const found = await ctx.db.domain.findMany({
    where: { name: { in: names } },
    select: { id: true, name: true, active: true },
  });
  const byName = new Map(found.map((domain) => [domain.name, domain]));
  return new Map(names.map((name) => [name, accessToOne(ctx, name, byName.get(name) ?? null)]));
}

function accessToOne(
  { actor }: MutationContext,
  name: string,
  found: FoundDomain | null,
): AuthorizedDomain | Rejection {
  try {
    return requireAccess(actor, found, `The domain ${name}`);
  } catch (error) {
    if (error instanceof AppError) return { code: error.apiCode, message: error.message };
    throw error;
  }
}
