'use client';

import { useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

const DELAY_MS = 200;

export type PickerSearch = ReturnType<typeof usePickerSearch>;

type Options = {
  /** Leaves what is searched for. */
  clean?: (text: string) => string;
  /** Whether the list has a field of its own to type into. */
  hasOwnField?: boolean;
};

/** Returns the text that is typed into a picker, and the text to search for once the typing pauses. */
export function usePickerSearch({ clean = (text) => text.trim(), hasOwnField = false }: Options = {}) {
  const [typed, setTyped] = useState<string | null>(null);
  const combobox = useCombobox({
    onDropdownOpen: () => {
      if (hasOwnField) combobox.focusSearchInput();
    },
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setTyped(null);
    },
  });
  const text = clean(typed ?? '');
  const [q] = useDebouncedValue(text, DELAY_MS);
  return {
    combobox,
    /** null while the field shows what is chosen */
    typed,
    q,
    isOpened: combobox.dropdownOpened,
    isWaiting: text !== q,
    type: (next: string | null) => {
      setTyped(next);
      combobox.resetSelectedOption();
      if (next !== null) combobox.openDropdown();
    },
  };
}
