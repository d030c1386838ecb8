'use client';

import { useDebouncedValue, useMounted } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '@/components/api/trpc';
import type { Template } from '../../schema';

const TYPING_MS = 400;

export type DraftValues = Pick<Template, 'name' | 'subject' | 'html_body' | 'text_body' | 'variables' | 'sample_data'>;

/** Queries a preview of messages made from these values, once typing pauses. */
export function usePreview(id: string, values: DraftValues) {
  const isMounted = useMounted();
  const [settled] = useDebouncedValue(values, TYPING_MS);
  const { name: _, sample_data: sample, ...draft } = settled;
  return trpc.templates.preview.useQuery(
    { id, ...draft, sample_data: sample },
    {
      // A sample that is no JSON yet is the text that was entered.
      enabled: isMounted && typeof sample === 'object',
      placeholderData: keepPreviousData,
      retry: false,
      gcTime: 0,
      trpc: { context: { isPosted: true } },
    },
  );
}

export type Preview = ReturnType<typeof usePreview>;
