// What `npm run lint` requires of the page's sources and tests. No comment in a source changes a rule (`noInlineConfig`): a rule that is off, or less
// strict than its set, has its reason here.
import js from '@eslint/js'
import hooks from 'eslint-plugin-react-hooks'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

/** What makes markup of text. The policy of the page, with Trusted Types, refuses it in a browser; this refuses it before. */
const PROPERTIES = '/^(innerHTML|outerHTML|srcdoc|srcDoc|dangerouslySetInnerHTML)$/'
const CALLS = '/^(insertAdjacentHTML|setHTMLUnsafe|parseHTMLUnsafe|parseFromString|createContextualFragment|createPolicy)$/'
const message = 'Text never becomes markup: give it to Preact as a child, or to a node as textContent.'
const markup = [
  `JSXAttribute[name.name=${PROPERTIES}]`, `Property[key.name=${PROPERTIES}]`, `Property[key.value=${PROPERTIES}]`,
  `MemberExpression[property.name=${PROPERTIES}]`, `MemberExpression[property.value=${PROPERTIES}]`,
  `MemberExpression[property.name=${CALLS}]`, `MemberExpression[property.value=${CALLS}]`,
  'MemberExpression[object.name="document"][property.name=/^write(ln)?$/]',
].map((selector) => ({ selector, message }))

export default defineConfig(
  { ignores: ['dist', 'src/model/openapi.d.ts'] },
  { linterOptions: { noInlineConfig: true } },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'react-hooks': hooks },
    rules: {
      // Rules of hooks, which are Preact's too. The plugin's other rules are the React Compiler's, which does not compile this page.
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'no-restricted-syntax': ['error', ...markup],
      'no-eval': 'error',
      // `() => setOpen(true)` is how a handler is written here; a statement that uses the value of a void function is still refused.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A number in a text is written as it is meant; null, undefined, objects and booleans are still refused.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  // The settings of the tools run in Node, whose types the page does not have.
  { files: ['*.js', '*.ts'], extends: [tseslint.configs.disableTypeChecked] },
)
