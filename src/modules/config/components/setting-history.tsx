'use client';

import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { NOT_WITH_PAGE } from '@/components/api/page-query-client';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { DialogFields, DialogFrame } from '@/components/dialogs/dialog';
import { IconArrowBackUp } from '@/components/icons/icons';
import { Skeleton } from '@/components/marks/skeleton';
import { DateTime } from '@/components/values/date-time';
import type { Setting } from '../schema';
import classes from './config-page.module.css';
import { isSameValue, type SettingValue, valueText } from './setting-value';

type OnRestore = (value: SettingValue | null) => void;
type SettingHistoryProps = {
  setting: Setting;
  opened: boolean;
  onClose: () => void;
  /** Enters a former value as a change to be reviewed; null for the default. */
  onRestore: OnRestore;
};

const PAGE_SIZE = 20;

export function SettingHistory({ setting, opened, onClose, onRestore }: SettingHistoryProps) {
  return (
    <DialogFrame opened={opened} isInUrl onClose={onClose} title={`History of ${setting.label}`}>
      <DialogFields>
        <Changes setting={setting} onRestore={onRestore} />
      </DialogFields>
    </DialogFrame>
  );
}

function Changes({ setting, onRestore }: { setting: Setting; onRestore: OnRestore }) {
  const { key, unit } = setting;
  const { data, isError, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useSettingHistory(key);
  if (isError && !data) return <ErrorState what="the history" error={error} onRetry={() => void refetch()} />;
  if (!data) return <HistorySkeleton />;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p className="soft">It was never changed here.</p>;
  return (
    <>
      <ol className={classes.changes}>
        {items.map(({ id, before, after, at, changed_by: by, api_key_id: keyId, api_key_name: keyName }) => (
          <li key={id}>
            <h3>
              <DateTime iso={at} /> by {by.email}
              {keyId && <> (API key{keyName && ` “${keyName}”`})</>}
            </h3>
            <del>{before === null ? 'Default' : valueText(before, unit)}</del>
            <ins>{after === null ? 'Default' : valueText(after, unit)}</ins>
            {!isSameValue(before ?? setting.default, setting.value) && (
              <div>
                <Button size="xs" leftSection={<IconArrowBackUp stroke={1.5} />} onClick={() => onRestore(before)}>
                  Restore {before === null ? 'the default' : valueText(before, unit)}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <div>
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older changes
          </Button>
        </div>
      )}
    </>
  );
}

/** Loads the changes, the newest first, a page at a time. Not through tRPC’s own hook, which adds a parameter that the API doesn’t take. */
function useSettingHistory(key: string) {
  const { client } = trpc.useUtils();
  return useInfiniteQuery({
    queryKey: [['config', 'history'], key],
    queryFn: ({ pageParam: cursor }) => client.config.history.query({ key, limit: PAGE_SIZE, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor || undefined,
    meta: NOT_WITH_PAGE,
  });
}

function HistorySkeleton() {
  return (
    <ol className={classes.changes} aria-busy="true">
      {[280, 232, 320].map((width) => (
        <li key={width}>
          <Skeleton width={width} />
        </li>
      ))}
    </ol>
  );
}
