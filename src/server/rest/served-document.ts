import type { generateOpenApiDocument } from 'trpc-to-openapi';
import type { KeyPermission } from '@/lib/access/key-permissions';
import type { Role } from '@/lib/access/roles';
import { processWide } from '../process-wide';

export type Document = ReturnType<typeof generateOpenApiDocument>;

/** Who may call an operation that isn't public: `x-access` of the document. */
export type OperationAccess = {
  role: Role;
  /** The permission that a key needs, null if any key will do. */
  permission: KeyPermission | null;
  scoped_keys: boolean;
  session_only: boolean;
};

const served = processWide<() => Document>('the OpenAPI document');

/** Names the document that the API serves. */
export function setServedDocument(generate: () => Document): void {
  served.current = generate;
}

/** Returns the document that the API serves, for the pages that show it. */
export function servedDocument(): Document {
  if (!served.current) throw new Error('The API has not started.');
  return served.current();
}

/** The end of the description of an operation that not every role may call. */
export function requiredRole(role: Role): string {
  return `Requires the role \`${role}\`.`;
}
