'use client';

import { Button } from '@mantine/core';
import { parseAsString } from 'nuqs';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { ErrorState, NoRows } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { SectionHeading } from '@/components/layout/section-heading';
import { SearchInput } from '@/components/list/search-input';
import { parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { NearLink } from '@/components/near-link';
import { notify } from '@/components/notifications';
import { PageHeader } from '@/components/page-header';
import { SettingsSkeleton } from '@/components/settings-section';
import { useAttention } from '@/components/shell/navigation/use-attention';
import { Page } from '@/components/shell/page';
import { useUrlState } from '@/components/url-state';
import { formatPlural } from '@/lib/format';
import { SETTING_GROUPS } from '@/lib/setting-groups';
import type { Setting } from '../schema';
import classes from './config-page.module.css';
import { ReviewDialog } from './review-dialog';
import { SettingRow } from './setting-row';
import { settingWarning, valueText } from './setting-value';
import { useSettingDrafts } from './use-setting-drafts';

const SettingHistory = lazyDialog(() => import('./setting-history').then((module) => module.SettingHistory));

const CHOICES = { all: { label: 'All' }, editable: { label: 'Editable here' }, changed: { label: 'Not default' } };

export function ConfigPage() {
  const settings = trpc.config.list.useQuery({});
  return (
    <Page>
      <PageHeader
        title="Configuration"
        description="Beside each setting is its environment variable. Those without a field can only be changed there, and need a restart."
      />
      {settings.isError && (
        <ErrorState what="the settings" error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.isPending && <SettingsSkeleton heights={[180, 220, 300]} />}
      {settings.data && <Settings settings={settings.data} />}
    </Page>
  );
}

function Settings({ settings }: { settings: Setting[] }) {
  const {
    values: view,
    choose,
    open,
  } = useUrlState({
    q: parseAsString.withDefault(''),
    show: parseAsShow(CHOICES),
    history: parseAsString,
  });
  const search = { values: view, change: choose };
  const history = settings.find(({ key }) => key === view.history);
  const closeHistory = () => open({ history: null });
  const edit = useSettingDrafts(settings);
  const notifiesNobody = useAttention().data?.notifies_nobody ?? false;
  const shown = settings.filter((setting) => isShown(setting, view.show) && matches(setting, view.q));
  const groups = SETTING_GROUPS.filter((group) => shown.some((setting) => setting.group === group));

  return (
    <>
      <div className={classes.filters}>
        <SearchInput
          search={search}
          label="Search settings"
          miw={280}
          w="auto"
          placeholder="Search by name, description or value"
        />
        <ShowFilter search={search} label="Show" choices={CHOICES} />
      </div>
      {shown.length === 0 && <NoRows>No setting matches.</NoRows>}
      <div className={groups.length > 1 ? classes.indexed : undefined}>
        {groups.length > 1 && (
          <nav aria-label="Groups" className={classes.index}>
            {groups.map((group) => (
              // Next.js can’t return to an entry of the history that a plain link made.
              <NearLink key={group} href={`#${anchorOf(group)}`}>
                {group}
              </NearLink>
            ))}
          </nav>
        )}
        <div>
          {groups.map((group) => {
            const rows = shown.filter((setting) => setting.group === group);
            return (
              <section key={group} id={anchorOf(group)} aria-label={group} className={classes.group}>
                <SectionHeading title={group} isUnderlined />
                <ul>
                  {rows.map((setting) => (
                    <SettingRow
                      key={setting.key}
                      setting={setting}
                      draft={edit.drafts[setting.key]}
                      error={edit.errors[setting.key]}
                      warning={settingWarning(setting, notifiesNobody)}
                      onChange={(value) => edit.change(setting.key, value)}
                      onShowHistory={() => open({ history: setting.key })}
                    />
                  ))}
                </ul>
              </section>
            );
          })}
        </div>
      </div>
      {edit.count > 0 && (
        <section className={classes.bar} aria-label="Unsaved changes">
          {edit.planned === null && <ProblemAlert problem={edit.problem} />}
          <span role="status">{formatPlural(edit.count, 'unsaved change')}</span>
          <span className="spacer" />
          <Button variant="subtle" color="gray" onClick={edit.discard}>
            Discard changes
          </Button>
          <Button variant="filled" loading={edit.isBusy && edit.planned === null} onClick={() => void edit.review()}>
            Review changes
          </Button>
        </section>
      )}
      <ReviewDialog
        changes={edit.planned}
        settings={settings}
        problem={edit.problem}
        isBusy={edit.isBusy}
        onClose={edit.closeReview}
        onSave={() => {
          const { count } = edit;
          void edit.save().then((isSaved) => isSaved && notify({ text: `Saved ${formatPlural(count, 'change')}.` }));
        }}
      />
      <UnsavedGuard isDirty={edit.count > 0} what="You have unsaved changes to the configuration." />
      {history && (
        <SettingHistory
          setting={history}
          opened
          onClose={closeHistory}
          onRestore={(value) => {
            edit.change(history.key, value);
            closeHistory();
          }}
        />
      )}
    </>
  );
}

function anchorOf(group: string): string {
  return group.toLowerCase().replaceAll(' ', '-');
}

function isShown(setting: Setting, show: keyof typeof CHOICES): boolean {
  if (show === 'editable') return setting.mutable;
  return show === 'all' || setting.source !== 'default';
}

function matches(setting: Setting, query: string): boolean {
  const { key, label, description, value, unit, if_unset: ifUnset } = setting;
  const text = [key, label, description, valueText(value, unit), ifUnset ?? ''].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
