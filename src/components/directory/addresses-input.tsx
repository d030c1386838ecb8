'use client';

import { Pill, TagsInput, type TagsInputProps } from '@mantine/core';
import classes from './addresses-input.module.css';

type AddressesInputProps = TagsInputProps & { isInvalid?: (address: string) => boolean };

/** Email addresses, each as a pill. */
export function AddressesInput({ isInvalid, ...props }: AddressesInputProps) {
  return (
    <TagsInput
      type="text"
      inputMode="email"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      renderPill={({ value, onRemove }) => (
        <Pill
          classNames={{ root: classes.pill, remove: classes.remove }}
          withRemoveButton
          data-invalid={isInvalid?.(`${value}`) || undefined}
          removeButtonProps={{ 'aria-label': `Remove ${value}`, 'aria-hidden': false, tabIndex: 0 }}
          onRemove={onRemove}
        >
          {value}
        </Pill>
      )}
      {...props}
    />
  );
}
