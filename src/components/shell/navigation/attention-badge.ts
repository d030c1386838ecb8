import type { RouteIcon } from '@/lib/routes';

type Counts = Partial<Record<RouteIcon, number>>;
type Attention = { counts: Counts; critical_counts: Counts; open_alerts: number };
type Badge = { count: number; isCritical: boolean };

/**
 * How many objects of a section need attention: what fails, or otherwise the warnings. All open alerts, because their page
 * lists exactly these.
 */
export function badgeOf(icon: RouteIcon, attention: Attention | undefined): Badge {
  const critical = attention?.critical_counts[icon] ?? 0;
  const all = icon === 'alerts' ? attention?.open_alerts : critical || attention?.counts[icon];
  return { count: all ?? 0, isCritical: critical > 0 };
}
