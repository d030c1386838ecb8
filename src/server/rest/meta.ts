import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import type { KeyPermission } from '@/lib/access/key-permissions';
import type { Role } from '@/lib/access/roles';
import type { ErrorCode } from '@/lib/error-codes';
import type { AuditAction } from '@/lib/texts/audit-actions';
import type { VersionedRecord } from '../procedures/versions';

export type ProcedureMeta = OpenApiMeta<{
  /** Required role; absent for public procedures. Set by the procedure builders in trpc.ts. */
  access?: Role;
  rest?: Rest;
  /** The entry that a mutation leaves in the audit log. */
  audit?: AuditAction;
  /** The consequence to confirm before the call, in words that add to its summary; null for a call that needs no confirmation. */
  confirmation?: string | null;
  /** A POST that changes nothing, such as a check. */
  isReading?: true;
  /** The record that the route reads, changes or deletes. GET and PATCH answer with its `ETag`; PATCH and DELETE take `If-Match`. */
  versioned?: VersionedRecord;
  /** A route is closed to domain-scoped keys unless it says this, so a new one that forgets it is closed. */
  isOpenToScopedKeys?: boolean;
  /** The permission that a key needs; by default `read` for a query and `manage` for a mutation. Null: none. */
  permission?: KeyPermission | null;
  /** API keys get 409: the call concerns a session, or how an admin signs in. */
  isSessionOnly?: boolean;
  isLogin?: boolean;
  /** A query that never reads a replica: it asks the mail agent, or shows what runs now. */
  isReadOnPrimary?: boolean;
  /** A query that waits for the mail agent most of its time. */
  isAgentRead?: boolean;
  /** A query that writes, such as a download with its audit entry. Its caller then reads what it wrote. */
  isWriting?: boolean;
  /** Exempt from the limit by address: a probe that must respond even under a flood. */
  isUnlimited?: boolean;
}>;

export type Rest = {
  status: number;
  /** Other statuses that the verb may set, with the same data. */
  otherStatuses: number[];
  /** Error codes, by status, beyond those implied by access, path, input and method. */
  errors: Partial<Record<number, ErrorCode[]>>;
  isPaginated: boolean;
  /** Responds 302 to the `location` of the output. After a temporary error, browsers are sent to `errorPage`. */
  redirect?: { errorPage: string };
  /** Responds with a file of this content type; the output is a FileOutput. */
  file?: string;
  /** Ignores unknown query parameters instead of rejecting them: other systems add their own. */
  isOpenQuery: boolean;
  /** For bodies not parsed by the procedure's schema: the parser, and the schema for the OpenAPI document. */
  body?: {
    prepare: (bytes: Uint8Array, at: Date) => Promise<unknown>;
    schema: z.ZodObject;
    headers: z.ZodObject;
  };
  bodyLimitBytes: () => number;
};

export type Operation = Partial<Omit<Rest, 'errors'>> &
  Pick<
    ProcedureMeta,
    | 'audit'
    | 'confirmation'
    | 'isReading'
    | 'versioned'
    | 'isOpenToScopedKeys'
    | 'permission'
    | 'isSessionOnly'
    | 'isLogin'
    | 'isReadOnPrimary'
    | 'isAgentRead'
    | 'isWriting'
    | 'isUnlimited'
  > & {
    summary: string;
    description?: string;
    tag: string;
    isPublic?: boolean;
    /** Request headers, for the OpenAPI document. */
    headers?: z.ZodObject;
    errors?: Rest['errors'];
  };

const KB = 1024;
/** The body limit of most endpoints. Anyone can call a public one, so its limit is what a sign-in needs. */
export const BODY_LIMIT_BYTES = { signedIn: 1024 * KB, public: 16 * KB };

const IF_MATCH = z.object({
  'If-Match': z.string().optional().meta({
    description:
      'The ETag of the record as you loaded it, several, or `*`. If the record has another version, nothing is changed and the response is 412, with the record in `details.current`',
  }),
});

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The fields that a method requires of its operation. A DELETE without `confirmation` asks to confirm its summary. */
type Needed<Of extends Method> = (Of extends 'POST' | 'PATCH' ? { confirmation: string | null } : unknown) &
  (Of extends 'PATCH' ? { versioned: VersionedRecord } : unknown);

/** Returns `rest` for the routes of a tag, which groups them in the reference. */
export function restOf(tag: string) {
  return <Of extends Method>(method: Of, path: `/${string}`, operation: Omit<Operation, 'tag'> & Needed<Of>) =>
    rest(method, path, { ...operation, tag } as Operation & Needed<Of>);
}

/** REST metadata of a procedure. Paths are relative to `/api/v1`; parameters are in braces. */
export function rest<Of extends Method>(
  method: Of,
  path: `/${string}`,
  operation: Operation & Needed<Of>,
): ProcedureMeta {
  const {
    summary,
    description,
    tag,
    isPublic,
    status,
    otherStatuses,
    errors,
    isPaginated,
    redirect,
    file,
    isOpenQuery,
    body,
    headers,
    bodyLimitBytes,
    ...meta
  } = operation;
  return {
    ...meta,
    openapi: {
      method,
      path,
      summary,
      description,
      tags: [tag],
      protect: !isPublic,
      requestHeaders: headers ?? body?.headers ?? (meta.versioned && method !== 'GET' ? IF_MATCH : undefined),
    },
    rest: {
      status: status ?? (redirect ? 302 : 200),
      otherStatuses: otherStatuses ?? [],
      errors: errors ?? {},
      isPaginated: isPaginated ?? false,
      redirect,
      file,
      isOpenQuery: isOpenQuery ?? false,
      body,
      bodyLimitBytes: bodyLimitBytes ?? (() => BODY_LIMIT_BYTES[isPublic ? 'public' : 'signedIn']),
    },
  };
}
