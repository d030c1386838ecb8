import { ChartTooltip } from '@mantine/charts';
import type { Series } from '@/components/charts/time-rows';
import type { timeLabels } from '../labels';

type TooltipOptions = {
  labels: ReturnType<typeof timeLabels>;
  series: Series[];
  format: (value: number) => string;
};

type Content = { label?: unknown; payload?: readonly unknown[] };

/** Returns the tooltip props of a chart: they show the point at the pointer. */
export function tooltipOf({ labels, series, format }: TooltipOptions) {
  return {
    content: ({ label, payload = [] }: Content) =>
      typeof label === 'string' && (
        <ChartTooltip
          label={labels.row(label)}
          payload={[...payload] as Record<string, unknown>[]}
          series={series}
          valueFormatter={format}
        />
      ),
  };
}
