import { trpc } from '@/components/api/trpc';
import type { Domain } from '@/modules/domains/schema';

export const STEP_NAMES = ['admin', 'domain', 'dns', 'send'] as const;
export type StepName = (typeof STEP_NAMES)[number];

export type SetupProgress = { email: string; domain: Domain | undefined; done: Record<StepName, boolean> };

/** Returns the progress of the setup, for the domain in the URL or the one added last. Needs an admin who is signed in. */
export function useSetup(domainId: string | null, isEnabled: boolean) {
  const options = { enabled: isEnabled };
  const me = trpc.auth.me.useQuery({}, options);
  const overview = trpc.overview.get.useQuery({ domain_id: domainId ?? undefined }, options);
  const checklist = overview.data?.checklist;
  const chosenId = checklist?.dns?.domain_id;
  const domain = trpc.domains.get.useQuery({ id: chosenId ?? '' }, { enabled: isEnabled && chosenId !== undefined });
  const progress: SetupProgress | undefined =
    me.data && checklist && (domain.data || !chosenId)
      ? {
          email: me.data.email,
          domain: domain.data,
          done: {
            admin: true,
            domain: checklist.has_domain,
            dns: checklist.dns?.is_checked === true && checklist.dns.broken === 0,
            send: checklist.has_sent,
          },
        }
      : undefined;
  return {
    progress,
    error: me.error ?? overview.error ?? domain.error,
    refetch: () => void Promise.all([me.refetch(), overview.refetch()]),
  };
}

/** The first step that is left. Null if none is. */
export function nextStep({ done }: SetupProgress): StepName | null {
  return STEP_NAMES.find((name) => !done[name]) ?? null;
}
