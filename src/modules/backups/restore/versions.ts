import type { ClientBase } from 'pg';
import { findContents } from '../archive/contents';
import { ArchiveError, type Header, type Table } from '../archive/format';

/**
 * Compares the migrations of an archive with those of this version of Postroom, or of its database.
 * @returns the names of those that the archive does not have yet
 * @throws ArchiveError if it has others
 */
export function requireKnown({ migrations, version }: Header, known: Header['migrations']): string[] {
  const checksums = new Map(known.map(({ name, checksum }) => [name, checksum]));
  const namesOf = (some: Header['migrations']) => some.map(({ name }) => name).join(', ');
  const later = migrations.filter(({ name }) => !checksums.has(name));
  if (later.length > 0)
    throw new ArchiveError(
      'newer',
      `The archive is of a later version of Postroom (${version}), whose database has ${namesOf(later)}. Restore it with that version.`,
    );
  const altered = migrations.filter(({ name, checksum }) => checksums.get(name) !== checksum);
  if (altered.length > 0)
    throw new ArchiveError(
      'incompatible',
      `The archive is of another build of Postroom (${version}), in which ${namesOf(altered)} made other tables than here. Restore it with that build.`,
    );
  const own = new Set(migrations.map(({ name }) => name));
  return known.map(({ name }) => name).filter((name) => !own.has(name));
}

/**
 * Compares the tables of an archive with those of a database with the same migrations, so that no other table is emptied, and
 * none keeps its rows of another time.
 * @throws ArchiveError if they differ
 */
export async function requireSameTables(client: ClientBase, { tables, version }: Header): Promise<void> {
  const expected = namesIn((await findContents(client)).tables);
  const found = namesIn(tables);
  const missing = expected.filter((name) => !found.includes(name));
  const unexpected = found.filter((name, at) => !expected.includes(name) || found.indexOf(name) !== at);
  const problems = [
    missing.length > 0 && `It lacks ${missing.join(', ')}.`,
    unexpected.length > 0 && `It has ${unexpected.join(', ')}, which does not belong there.`,
  ].filter(Boolean);
  if (problems.length > 0)
    throw new ArchiveError(
      'incompatible',
      `The archive does not have the tables of its version of Postroom (${version}). ${problems.join(' ')}`,
    );
}

/** Tables, keys and columns. */
function namesIn(tables: readonly Table[]): string[] {
  return tables.flatMap(({ name, columns, keyLength }) => [
    name,
    `the key of ${name}: ${columns.slice(0, keyLength).join(', ')}`,
    ...columns.map((column) => `${name}.${column}`),
  ]);
}
