import type {
  ActionIcon,
  Button,
  Checkbox,
  CSSVariablesResolver,
  Drawer,
  Group,
  Input,
  MantineColorsTuple,
  MantineThemeOverride,
  Menu,
  Modal,
  MultiSelect,
  Pill,
  PillsInputField,
  Popover,
  Select,
  Stack,
  Switch,
  Tabs,
  TagsInput,
  Tooltip,
} from '@mantine/core';
import classes from './theme.module.css';

const pine: MantineColorsTuple = [
  '#EEF5F0',
  '#D9EADF',
  '#B5D7C3',
  '#8BCFAC',
  '#5BAA85',
  '#3A8C69',
  '#27734F',
  '#1B6448',
  '#14583F',
  '#0E4230',
];
const gray: MantineColorsTuple = [
  '#F3F0E8',
  '#ECE8DE',
  '#E2DED3',
  '#D5D0C3',
  '#C8C3B5',
  '#868D86',
  '#626D67',
  '#46534D',
  '#2B3732',
  '#16201C',
];
const dark: MantineColorsTuple = [
  '#E8EBE4',
  '#B0BAB3',
  '#8F9A93',
  '#6E7A74',
  '#3B4842',
  '#242E2A',
  '#151D1A',
  '#0E1412',
  '#0A0F0D',
  '#060908',
];

type Extension<Component extends { extend: (input: never) => unknown }> = Parameters<Component['extend']>[0];

const dropdown = { dropdown: classes.dropdown, option: classes.option };

/** Named by its types only: the components themselves load with the pages that use them. */
export const theme: MantineThemeOverride = {
  colors: { pine, gray, dark },
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 3 },
  black: '#16201C',
  fontFamily: "var(--font-plex-sans), 'IBM Plex Sans Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '2px', sm: '4px', md: '4px', lg: '4px', xl: '4px' },
  defaultRadius: 'sm',
  shadows: { xs: 'none', sm: 'none', md: 'var(--lift)', lg: 'var(--lift)', xl: 'var(--lift)' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: {
      defaultProps: { variant: 'default' },
      classNames: { root: classes.button, section: classes.buttonSection },
      vars: (_, { size, variant, color }) => ({
        root: {
          '--button-height': size === 'xs' ? '28px' : '32px',
          '--button-padding-x': size === 'xs' ? '8px' : '12px',
          '--button-fz': '13px',
          ...(variant === 'filled' && { '--button-color': 'var(--on-pine)' }),
          ...(variant === 'subtle' && !color && { '--button-color': 'var(--pine)' }),
        },
      }),
    } satisfies Extension<typeof Button>,
    ActionIcon: {
      defaultProps: { variant: 'subtle', color: 'gray' },
      classNames: { root: classes.actionIcon },
      vars: () => ({ root: { '--ai-size': '28px', '--ai-color': 'var(--ink-2)', '--ai-hover': 'var(--hover)' } }),
    } satisfies Extension<typeof ActionIcon>,
    Input: {
      classNames: { wrapper: classes.inputWrapper, input: classes.input },
      vars: () => ({ wrapper: { '--input-height': '32px', '--input-fz': '13px' } }),
    } satisfies Extension<typeof Input>,
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ['label', 'input', 'error', 'description'] },
      classNames: { label: classes.label, error: classes.hint, description: classes.description },
    } satisfies Extension<typeof Input.Wrapper>,
    Checkbox: {
      defaultProps: { size: 'xs', radius: 'xs' },
      classNames: {
        input: classes.checkbox,
        icon: classes.checkboxIcon,
        label: classes.inlineLabel,
        description: classes.inlineDescription,
      },
    } satisfies Extension<typeof Checkbox>,
    Switch: {
      defaultProps: { size: 'xs', radius: 'sm', withThumbIndicator: false },
      classNames: {
        input: classes.switch,
        track: classes.switchTrack,
        thumb: classes.switchThumb,
        label: classes.inlineLabel,
      },
    } satisfies Extension<typeof Switch>,
    Pill: { classNames: { root: classes.pill } } satisfies Extension<typeof Pill>,
    TagsInput: { classNames: { inputField: classes.tagsField } } satisfies Extension<typeof TagsInput>,
    PillsInputField: { classNames: { field: classes.tagsField } } satisfies Extension<typeof PillsInputField>,
    Select: { classNames: dropdown } satisfies Extension<typeof Select>,
    MultiSelect: { classNames: dropdown } satisfies Extension<typeof MultiSelect>,
    Popover: { classNames: { dropdown: classes.dropdown } } satisfies Extension<typeof Popover>,
    Tabs: {
      defaultProps: { color: 'var(--ink)' },
      classNames: { list: classes.tabs, tab: classes.tab },
    } satisfies Extension<typeof Tabs>,
    Menu: {
      defaultProps: {
        shadow: 'md',
        width: 224,
        position: 'bottom-end',
        transitionProps: { duration: 80 },
        withInitialFocusPlaceholder: false,
      },
      classNames: { dropdown: classes.dropdown, item: classes.menuItem },
    } satisfies Extension<typeof Menu>,
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 80 } } } satisfies Extension<
      typeof Tooltip
    >,
    Drawer: {
      defaultProps: {
        transitionProps: { duration: 120 },
        overlayProps: { color: 'var(--veil)', backgroundOpacity: 1 },
      },
      classNames: { content: classes.drawer, header: classes.drawerHeader, title: classes.drawerTitle },
    } satisfies Extension<typeof Drawer>,
    Modal: {
      defaultProps: {
        size: 544,
        shadow: 'md',
        transitionProps: { duration: 120, transition: 'fade' },
        overlayProps: { color: 'var(--veil)', backgroundOpacity: 1 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      classNames: {
        inner: classes.modalInner,
        content: classes.modal,
        header: classes.modalHeader,
        title: classes.modalTitle,
        body: classes.modalBody,
      },
    } satisfies Extension<typeof Modal>,
    Group: { defaultProps: { gap: 'sm' } } satisfies Extension<typeof Group>,
    Stack: { defaultProps: { gap: 'lg' } } satisfies Extension<typeof Stack>,
  },
};

const colors = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-3)',
  '--mantine-color-placeholder': 'var(--ink-3)',
  '--mantine-color-error': 'var(--bounced)',
  '--mantine-color-anchor': 'var(--pine)',
  '--mantine-color-default': 'var(--sheet)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-border': 'var(--rule-strong)',
};

/** Mantine's colors, from the tokens in global.css. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, light: colors, dark: colors });
