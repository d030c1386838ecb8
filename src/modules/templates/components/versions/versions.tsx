'use client';

import { Button } from '@mantine/core';
import { parseAsInteger, useQueryState } from 'nuqs';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import type { Template, TemplateVersionSummary } from '../../schema';
import { usePublish } from '../use-publish';
import { VersionChanges } from './version-changes';
import classes from './versions.module.css';

/** The published versions, the newest first, each with how the draft differs from it. */
export function Versions({ template }: { template: Template }) {
  const found = trpc.templates.versions.useQuery({ id: template.id });
  const publish = usePublish(template);
  const [shown, setShown] = useQueryState('version', parseAsInteger);
  if (found.isError && !found.data)
    return <ErrorState what="the versions" error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Skeleton width={320} />;
  if (found.data.length === 0) {
    return (
      <EmptyState title="No versions yet">
        <p>Publish the draft to send messages with it. Each time, a version is added here, and none ever changes.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ProblemAlert problem={publish.error && toProblem(publish.error)} />
      <ol className={classes.list} aria-label="Versions, newest first">
        {found.data.map((version) => (
          <li key={version.number}>
            <div className={classes.row}>
              <Version version={version} />
              <span className="spacer" />
              <Button
                size="xs"
                aria-expanded={shown === version.number}
                onClick={() => void setShown(shown === version.number ? null : version.number)}
              >
                Compare with draft
              </Button>
              {!version.is_published && (
                <Button
                  size="xs"
                  aria-label={`Publish version ${version.number}`}
                  disabled={publish.isPending}
                  onClick={() => publish.mutate({ id: template.id, version: version.number })}
                >
                  Publish
                </Button>
              )}
            </div>
            {shown === version.number && <VersionChanges template={template} number={version.number} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function Version({ version }: { version: TemplateVersionSummary }) {
  return (
    <span className={classes.version}>
      <span className="strong">Version {version.number}</span>
      {version.is_published && <StatusMark status="on">Published</StatusMark>}
      <span className="soft">
        <TimeAgo iso={version.created_at} /> by <EmailAddress value={version.published_by} isLight />
      </span>
    </span>
  );
}
