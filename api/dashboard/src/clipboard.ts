// Copies a text. The clipboard of a browser is there by https and on a loopback address alone; elsewhere what is selected is copied.

/** Tells whether it was copied. It begins within the click, so that a link that opens another tab takes nothing away. */
export async function copy(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      return false
    }
  }
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  const { activeElement } = document
  document.body.append(field)
  field.select()
  // The one way without a secure context.
  const isCopied = (document as unknown as { execCommand: (command: string) => boolean }).execCommand('copy')
  field.remove()
  if (activeElement instanceof HTMLElement) activeElement.focus()
  return isCopied
}
