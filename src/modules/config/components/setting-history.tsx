'use client';

import { Modal } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { DialogFields } from '@/components/dialogs/dialog';
import { DateTime } from '@/components/values/date-time';
import type { Setting } from '../schema';
import classes from './config-page.module.css';
import { valueText } from './setting-value';

type SettingHistoryProps = { setting: Setting; opened: boolean; onClose: () => void };

const SHOWN = 50;

export function SettingHistory({ setting, opened, onClose }: SettingHistoryProps) {
  const isMounted = useMounted();
  return (
    <Modal opened={opened && isMounted} onClose={onClose} title={`History of ${setting.key}`} yOffset={72}>
      <DialogFields>
        <Changes setting={setting} />
      </DialogFields>
    </Modal>
  );
}

function Changes({ setting: { key, unit } }: { setting: Setting }) {
  const history = trpc.config.history.useQuery({ key, limit: SHOWN });
  if (history.isError)
    return <ErrorState what="the history" error={history.error} onRetry={() => void history.refetch()} />;
  if (!history.data) return <p className="soft">Loading…</p>;
  const { items, pagination } = history.data;
  if (items.length === 0) return <p className="soft">It was never changed here.</p>;
  return (
    <>
      <ol className={classes.changes}>
        {items.map(({ id, before, after, at, changed_by: by }) => (
          <li key={id}>
            <h3>
              <DateTime iso={at} /> by {by.email}
            </h3>
            <del>{before === null ? 'Default' : valueText(before, unit)}</del>
            <ins>{after === null ? 'Default' : valueText(after, unit)}</ins>
          </li>
        ))}
      </ol>
      {pagination.has_more && <p className="soft">These are the last {SHOWN} changes.</p>}
    </>
  );
}
