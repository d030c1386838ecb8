import { Switch } from '@mantine/core';
import { formatDate, formatFull } from '@/lib/format';
import type { LedgerColumn } from './ledger';

type SwitchColumnProps<Row> = {
  nameOf: (row: Row) => string;
  isOn: (row: Row) => boolean;
  onSwitch: (row: Row, isOn: boolean) => void;
  fold?: LedgerColumn<Row>['fold'];
};

/** Whether what a row stands for is on, and the way to change that in place. */
export function switchColumn<Row>({
  nameOf,
  isOn,
  onSwitch,
  fold = 'tail',
}: SwitchColumnProps<Row>): LedgerColumn<Row> {
  return {
    key: 'on',
    header: 'On',
    width: 56,
    kind: 'control',
    fold,
    bone: 28,
    cell: (row) => (
      <Switch
        aria-label={`${nameOf(row)} is on`}
        checked={isOn(row)}
        onChange={(event) => onSwitch(row, event.currentTarget.checked)}
      />
    ),
  };
}

export function changedColumn<Row extends { updated_at: string }>(): LedgerColumn<Row> {
  return {
    key: 'changed',
    header: 'Changed',
    width: 88,
    kind: 'figure',
    isSpare: true,
    bone: 48,
    className: 'soft',
    cell: ({ updated_at: at }) => (
      <time dateTime={at} title={formatFull(at)}>
        {formatDate(at)}
      </time>
    ),
  };
}
