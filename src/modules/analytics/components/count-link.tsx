import { NearLink } from '@/components/near-link';
import { formatCount } from '@/lib/format';

/** A figure that leads to the messages it counts, if there are any. */
export function CountLink({ count, href }: { count: number; href: string | null }) {
  if (count === 0) return <span className="quiet">0</span>;
  return href ? <NearLink href={href}>{formatCount(count)}</NearLink> : formatCount(count);
}
