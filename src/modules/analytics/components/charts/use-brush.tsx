'use client';

import { type ReactNode, useState } from 'react';
import { ReferenceArea } from 'recharts';
import type { AnalyticsPoint } from '../../schema';

type Pointer = { activeTooltipIndex?: number | string | null | undefined };

type BrushProps = {
  points: AnalyticsPoint[];
  onZoom: (span: { start: string; end: string }) => void;
};

/** Selects a part of a chart by dragging over it. */
export function useBrush({ points, onZoom }: BrushProps) {
  const [selected, select] = useState<{ from: number; to: number } | null>(null);
  const [first, last] = selected
    ? [Math.min(selected.from, selected.to), Math.max(selected.from, selected.to)]
    : [0, 0];
  const [start, end] = [points[first], points[last]];
  const indexAt = ({ activeTooltipIndex: index }: Pointer) =>
    index === undefined || index === null || Number.isNaN(Number(index)) ? null : Number(index);
  const area: ReactNode = selected && start && end && first !== last && (
    <ReferenceArea x1={start.at} x2={end.at} fill="var(--postmark)" fillOpacity={0.16} ifOverflow="visible" />
  );
  return {
    area,
    handlers: {
      onMouseDown: (pointer: Pointer) => {
        const index = indexAt(pointer);
        select(index === null ? null : { from: index, to: index });
      },
      onMouseMove: (pointer: Pointer) => {
        const index = indexAt(pointer);
        if (selected && index !== null && index !== selected.to) select({ ...selected, to: index });
      },
      onMouseUp: () => {
        select(null);
        if (selected && start && end && first !== last) onZoom({ start: start.at, end: end.until });
      },
      onMouseLeave: () => select(null),
    },
  };
}
