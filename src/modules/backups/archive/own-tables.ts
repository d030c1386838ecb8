import { Prisma } from '@/server/prisma/client';

/** The columns of each table of the schema, in alphabetical order. Other tables of the database are someone else's. */
export const OWN_TABLES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(Prisma.ModelName).map((model) => [
    inDatabase(model),
    Object.keys(Prisma[`${model}ScalarFieldEnum`]).map(inDatabase).toSorted(),
  ]),
);

export const OWN_SEQUENCES: readonly string[] = ['event_sequence', 'analytics_change_id_seq'];

/** A test compares these names with those of the database. */
function inDatabase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}
