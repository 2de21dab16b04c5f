/* oxlint-disable mortise/literal-text -- for authors of plugins, never for visitors */
import {
  Ago,
  Blankslate,
  CheckField,
  CopyBlock,
  CopyButton,
  Csrf,
  FieldError,
  FormFrame,
  icon,
  ChunkedRender,
  FragmentCache,
  Menu,
  MenuLayout,
  NumberField,
  Pager,
  PostButton,
  RadioFields,
  SearchBox,
  Section,
  SelectField,
  SettingsSearchPage,
  SortHead,
  SortedList,
  Tabs,
  TextField,
  TypedName,
  webPage,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';

const Shown = ({ name, children }: { name: string; children: ComponentChildren }): VNode => (
  <div class="Box mb-3" id={name}>
    <div class="Box-header">
      <h2 class="Box-title text-mono">{name}</h2>
    </div>
    <div class="Box-body">{children}</div>
  </div>
);

const options = [
  ['first', 'The first'],
  ['second', 'The second', 'With a note of its own'],
] as const;

const FormShowcase = (): VNode => (
  <>
    <Shown name="TextField">
      <TextField name="text" label="Text" note="Help below the field" placeholder="A placeholder" />
      <TextField name="lines" label="Several lines" lines={3} value={'one\ntwo'} />
      <TextField name="secret" label="Password" type="password" short />
      <TextField name="machine" label="For machines" mono value="refs/heads/main" />
    </Shown>
    <Shown name="FieldError">
      What is wrong with a refused field stands here; now nothing is.
      <FieldError of={{ name: 'text' }} />
    </Shown>
    <Shown name="NumberField">
      <NumberField name="number" label="Number" value={3} min={1} max={9} />
    </Shown>
    <Shown name="SelectField">
      <SelectField name="select" label="One of many" options={options} value="second" />
    </Shown>
    <Shown name="CheckField">
      <CheckField name="check" label="Yes or no" checked note="Help below the box">
        <TextField name="more" label="Seen while it is ticked" />
      </CheckField>
    </Shown>
    <Shown name="RadioFields">
      <RadioFields name="radio" label="One of a few" options={options} value="first" />
    </Shown>
    <Shown name="PostButton">
      <PostButton action="#PostButton">Do it</PostButton>{' '}
      <PostButton action="#PostButton" danger confirm="Really?">
        Delete
      </PostButton>
    </Shown>
    <Shown name="TypedName">
      <TypedName name="wheel" />
    </Shown>
    <Shown name="FormFrame">
      <FormFrame title="A short form" level={3} below={<a href="#FormFrame">Another way to go</a>}>
        Its fields.
      </FormFrame>
    </Shown>
    <Shown name="Csrf">
      <Csrf />
      Invisible: the token that every form carries.
    </Shown>
  </>
);

const LayoutShowcase = (): VNode => (
  <>
    <Shown name="Section">
      <Section title="A titled part" actions={<a href="#Section">An action</a>}>
        Its content.
      </Section>
      <Section title="What cannot be taken back" danger>
        Its content.
      </Section>
    </Shown>
    <Shown name="Tabs">
      <Tabs
        label="Pages beside each other"
        active="one"
        entries={[
          { key: 'one', label: 'This page', href: '#Tabs', icon: 'gear', count: '12' },
          { key: 'two', label: 'Another', href: '#Tabs' },
        ]}
      />
    </Shown>
    <Shown name="Menu">
      <Menu button="Actions" align="start">
        <a class="dropdown-item" href="#Menu">
          An action
        </a>
      </Menu>
    </Shown>
    <Shown name="MenuLayout">
      <MenuLayout
        label="A menu"
        active="one"
        entries={[
          { key: 'one', label: 'This page', href: '#MenuLayout', icon: 'gear' },
          { key: 'two', label: 'Another', href: '#MenuLayout' },
        ]}
      >
        The page beside it.
      </MenuLayout>
    </Shown>
    <Shown name="Pager">
      <Pager page={2} last={5} href={(page) => `?page=${page}#Pager`} />
    </Shown>
    <Shown name="Blankslate">
      <Blankslate title="Nothing here yet" icon="inbox" level={3}>
        <p>What to do about it.</p>
      </Blankslate>
    </Shown>
    <Shown name="CopyButton">
      <CopyButton text="npm install" label="Copy the command" />
    </Shown>
    <Shown name="CopyBlock">
      <CopyBlock text="npm install" label="Copy the command" />
    </Shown>
    <Shown name="Ago">
      <Ago time={Date.now() - 7_200_000} />
    </Shown>
    <Shown name="icon">
      {icon('package')} {icon('bell')} {icon('gear')}
    </Shown>
    <Shown name="flash">
      <div class="flash mb-2">To know</div>
      <div class="flash flash-success mb-2">Done</div>
      <div class="flash flash-error">Failed</div>
    </Shown>
    <Shown name="Label">
      <span class="Label mr-1">Label</span>
      <span class="Label Label--success mr-1">Good</span>
      <span class="Counter">12</span>
    </Shown>
  </>
);

const ListShowcase = (): VNode => (
  <>
    <Shown name="SearchBox">
      <SearchBox value="" label="Search things" />
    </Shown>
    <Shown name="SettingsSearchPage">
      <SettingsSearchPage
        query="theme"
        entries={[{ key: 'look', label: 'Appearance', href: '#SettingsSearchPage', settings: [{ label: 'Theme' }] }]}
      />
    </Shown>
    <Shown name="SortHead">
      <table class="data-table">
        <SortHead
          columns={[{ key: 'name', label: 'Name' }, { label: 'Note' }]}
          sort="name"
          order="asc"
          href={(sort, order) => `?sort=${sort}&order=${order}#SortHead`}
        />
        <tbody>
          <tr>
            <td>first</td>
            <td>A row</td>
          </tr>
        </tbody>
      </table>
    </Shown>
    <Shown name="SortedList">
      <SortedList
        title="Things"
        total={1}
        action="/-/parts"
        label="Search things"
        query={{ q: '', sort: 'name', order: 'asc' }}
        columns={[{ key: 'name', label: 'Name' }, { label: 'Note' }]}
        none={{ title: 'No things', icon: 'search' }}
        page={1}
        limit={20}
      >
        {[
          <tr>
            <td>first</td>
            <td>A row</td>
          </tr>,
        ]}
      </SortedList>
    </Shown>
  </>
);

const RenderingShowcase = (): VNode => (
  <>
    <Shown name="ChunkedRender">
      <ol class="pl-4 mb-0">
        <ChunkedRender chunks={() => ['a large list', 'made entry by entry'].map((entry) => <li>{entry}</li>)} />
      </ol>
    </Shown>
    <Shown name="FragmentCache">
      <FragmentCache name="core.parts" cacheKey="">
        {() => <p class="mb-0">Invisible: drawn once, and kept for all who see the same.</p>}
      </FragmentCache>
    </Shown>
    <Shown name="LazyFragment">Invisible: what stands here loads by itself once it is ready.</Shown>
  </>
);

/** Every part of pages as it looks: for authors of plugins, under `mortise dev`. */
export const componentsPage = (): WebPage =>
  webPage({
    title: 'Parts of pages',
    body: (
      <div>
        <h1 class="mb-3">Parts of pages</h1>
        <FormShowcase />
        <LayoutShowcase />
        <ListShowcase />
        <RenderingShowcase />
      </div>
    ),
  });
