import { trpc } from '@/components/api/trpc';

/** The name of an API key, also of a revoked one: as the audit log has it, or else its ID. */
export function KeyName({ id }: { id: string }) {
  const { data } = trpc.audit.list.useQuery({ resource: `api_key:${id}`, limit: 1 }, { retry: false });
  return data?.items[0]?.resource_name ?? id;
}
