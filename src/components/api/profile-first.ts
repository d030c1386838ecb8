import type { TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '@/modules/router';
import { setTimeZone } from '../values/use-time-zone';

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
