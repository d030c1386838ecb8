import { createFlag } from '../flag';

const sessionLost = createFlag();

export const useSessionLost = sessionLost.useFlag;
export const isSessionReportedLost = sessionLost.get;

export function reportSessionLost(): void {
  sessionLost.set(true);
}

export function reportSessionRegained(): void {
  sessionLost.set(false);
}
