import type { QueryCache } from '@tanstack/react-query';
import type { TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '@/modules/router';
import { setTimeZone } from '../values/use-time-zone';

/** Passes on the time zone of the profile when it arrives with the page or changes, null for the browser's. */
export function watchProfile(cache: QueryCache, take: (zone: string | null) => void): void {
  cache.subscribe(({ type, query }) => {
    if ((type !== 'added' && type !== 'updated') || String(query.queryKey[0]) !== 'auth,me') return;
    const data: { time_zone: string | null } | undefined = query.state.data;
    if (data) take(data.time_zone);
  });
}

let profile: Promise<void> | undefined;

/**
 * Holds other results back until the profile is here, whose time zone they are shown in. All are requested at once, so
 * nothing takes longer.
 */
export const profileFirst: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      if (op.path !== 'auth.me') {
        const inTurn = (act: () => void) => (profile ? void profile.then(act) : act());
        return next(op).subscribe({
          next: (value) => inTurn(() => observer.next(value)),
          error: (error) => inTurn(() => observer.error(error)),
          complete: () => inTurn(() => observer.complete()),
        });
      }
      let arrived = () => {};
      profile ??= new Promise((resolve) => {
        arrived = resolve;
      });
      const subscription = next(op).subscribe({
        next: (value) => {
          const { data } = value.result as { data?: { time_zone: string | null } };
          if (data) setTimeZone(data.time_zone);
          arrived();
          observer.next(value);
        },
        error: (error) => {
          arrived();
          observer.error(error);
        },
        complete: () => observer.complete(),
      });
      return () => {
        subscription.unsubscribe();
        // A request that was canceled brings nothing that others could wait for.
        arrived();
      };
    });
