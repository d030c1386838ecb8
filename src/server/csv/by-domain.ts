import { normalizeDomainName } from '@/lib/mail/address';
import { type AuthorizedDomain, accessibleDomainIds, checkAccess } from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import { type CsvLine, mapLines } from './read-csv';

export type Rejection = { code: string; message: string };

/** The rows of one domain, or rows that can't be imported into any and why. */
export type DomainLines = { domain: AuthorizedDomain; lines: CsvLine[] };
type RejectedLine = { line: CsvLine; rejection: Rejection };

/** A domain whose rows are rejected. The id is null if no such domain is managed. */
export type RefusedDomain = { id: string | null; name: string; error: AppError };

export type File = {
  /** The domain that all rows are imported into. Null: each into the domain of its address. */
  domain: AuthorizedDomain | null;
  lines: CsvLine[];
  addressColumn: string;
};

type Sorted = { ofDomains: DomainLines[]; rejected: RejectedLine[]; refused: RefusedDomain[] };

/** Each domain is a transaction or more. */
const MAX_DOMAINS = 500;

/**
 * Returns the rows of a file by the domain that they are imported into, in the order of the domains' names. A row whose domain the
 * caller may not use is rejected by itself.
 * @throws VALIDATION_ERROR if the file names too many domains
 */
export async function linesByDomain(ctx: MutationContext, file: File): Promise<Sorted> {
  if (file.domain) return { ofDomains: [{ domain: file.domain, lines: file.lines }], rejected: [], refused: [] };
  const { byName, nameless } = await groupByName(file);
  const sorted: Sorted = {
    ofDomains: [],
    rejected: nameless.map((line) => ({ line, rejection: rejectionOfRow(line, NO_DOMAIN) })),
    refused: [],
  };
  const names = [...byName.keys()].toSorted();
  const found = await ctx.db.domain.findMany({
    where: { name: { in: names } },
    select: { id: true, name: true, active: true },
  });
  const domains = new Map(found.map((domain) => [domain.name, domain]));
  const isLimited = accessibleDomainIds(ctx.actor) !== null;
  for (const name of names) {
    const lines = byName.get(name) as CsvLine[];
    const domain = domains.get(name) ?? null;
    const checked = checkAccess(ctx.actor, domain ?? (isLimited ? foreign(name) : null), `The domain ${name}`);
    if (!(checked instanceof AppError)) {
      sorted.ofDomains.push({ domain: checked, lines });
      continue;
    }
    const rejection = { code: checked.apiCode, message: checked.message };
    sorted.rejected.push(...lines.map((line) => ({ line, rejection: rejectionOfRow(line, rejection) })));
    sorted.refused.push({ id: domain?.id ?? null, name, error: checked });
  }
  return sorted;
}

/** Stands for a domain that isn't managed, so that who may not see all domains gets the same error as for a domain of others. */
function foreign(name: string) {
  return { id: '', name, active: false };
}

async function groupByName({ lines, addressColumn }: File) {
  const byName = new Map<string, CsvLine[]>();
  const nameless: CsvLine[] = [];
  await mapLines(lines, (line) => {
    const name = domainNameOf(line.values[addressColumn] ?? '');
    const group = name === null ? nameless : byName.get(name);
    if (group) group.push(line);
    else byName.set(name as string, [line]);
  });
  if (byName.size <= MAX_DOMAINS) return { byName, nameless };
  const message = `The file has addresses of ${byName.size} domains. Import at most ${MAX_DOMAINS} domains at once: split the file, and import the parts.`;
  throw new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'csv', message }] } });
}

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
