import { StatusMark } from '@/components/marks/status-mark';
import type { TemplateSummary } from '../schema';

type PublishedMarkProps = { template: Pick<TemplateSummary, 'published_version' | 'has_changes'> };

/** Which version is published, and whether the draft differs from it. */
export function PublishedMark({ template: { published_version: version, has_changes } }: PublishedMarkProps) {
  if (version === null) return <StatusMark status="off">Not published</StatusMark>;
  return (
    <StatusMark status={has_changes ? 'pending' : 'on'}>
      Version {version}
      {has_changes && ', draft differs'}
    </StatusMark>
  );
}
