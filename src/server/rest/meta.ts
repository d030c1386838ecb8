import type { OpenApiMeta } from 'trpc-to-openapi';
import type { z } from 'zod';
import type { ErrorCode } from '@/lib/error-codes';
import type { Role } from '@/lib/roles';

export type ProcedureMeta = OpenApiMeta<{
  /** The least role that may call; absent where the procedure is public. Set by the ladder in trpc.ts. */
  access?: Role;
  rest?: Rest;
  /** The audit action of a mutation, `<resource type>.<verb>`. */
  audit?: string;
  /** The verb opens its own transactions, because it crosses the network or must answer in constant time. */
  transaction?: 'manual';
  isOpenToScopedKeys?: boolean;
  /** Answers an API key with 409: it is about a session, or about how an admin signs in. */
  isSessionOnly?: boolean;
  isLogin?: boolean;
  /** Not counted by address: a probe that must answer while everything else is refused. */
  isUnlimited?: boolean;
}>;

export type Rest = {
  status: number;
  /** Statuses that a verb may set itself, with the same data. */
  otherStatuses: number[];
  /** Codes beyond those that follow from access, input and method, by status. */
  errors: Partial<Record<number, ErrorCode[]>>;
  isPaginated: boolean;
  /** Answers 302 to the `location` of its output. A browser that had better try again later is sent to `errorPage`. */
  redirect?: { errorPage: string };
  /** Answers with a file of this content type: the verb's output is a FileAnswer. */
  file?: string;
  /** Query parameters that it does not know are left out rather than refused: others add to them as they like. */
  isOpenQuery: boolean;
  /** Where the body is read by other means than the procedure's schema: how, and what the document shows of it. */
  body?: {
    prepare: (bytes: Uint8Array, at: Date) => Promise<unknown>;
    schema: z.ZodObject;
    headers: z.ZodObject;
  };
  bodyLimitBytes: () => number;
};

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

type Operation = Partial<Omit<Rest, 'errors'>> &
  Pick<ProcedureMeta, 'audit' | 'transaction' | 'isOpenToScopedKeys' | 'isSessionOnly' | 'isLogin' | 'isUnlimited'> & {
    summary: string;
    description?: string;
    tag: string;
    isPublic?: boolean;
    errors?: Rest['errors'];
  };

const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;

/** The REST face of a procedure. Paths are relative to `/api/v1`; parameters stand in braces. */
export function rest(method: Method, path: `/${string}`, operation: Operation): ProcedureMeta {
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
    bodyLimitBytes,
    ...meta
  } = operation;
  return {
    ...meta,
    openapi: { method, path, summary, description, tags: [tag], protect: !isPublic, requestHeaders: body?.headers },
    rest: {
      status: status ?? (redirect ? 302 : 200),
      otherStatuses: otherStatuses ?? [],
      errors: errors ?? {},
      isPaginated: isPaginated ?? false,
      redirect,
      file,
      isOpenQuery: isOpenQuery ?? false,
      body,
      bodyLimitBytes: bodyLimitBytes ?? (() => DEFAULT_BODY_LIMIT_BYTES),
    },
  };
}
