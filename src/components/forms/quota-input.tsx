'use client';

import { formatCount } from '@/lib/format';
import { LimitInput, type LimitInputProps } from './limit-input';

const MB = 1024 * 1024;

export function quotaText(bytes: number | null): string {
  return bytes === null ? 'No quota' : `${formatCount(Math.round(bytes / MB))} MB`;
}

/** A quota in MB whose value is in bytes. One that isn't whole MB is shown rounded and stays exact until it is edited. */
export function QuotaInput({ value = null, onChange, ...props }: LimitInputProps) {
  const shown = value === null ? null : Math.round(value / MB);
  return (
    <LimitInput
      value={shown}
      onChange={(next) => {
        if (next !== shown) onChange(next === null ? null : next * MB);
      }}
      {...props}
    />
  );
}
