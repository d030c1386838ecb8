import { TagsInput, type TagsInputProps } from '@mantine/core';

/** The domains whose alerts notify. Without any, those of all domains do. */
export function DomainsInput(props: TagsInputProps) {
  return (
    <TagsInput
      className="mono-input"
      splitChars={[',', ' ']}
      acceptValueOnBlur
      placeholder={props.value?.length === 0 ? 'All domains' : undefined}
      {...props}
    />
  );
}
