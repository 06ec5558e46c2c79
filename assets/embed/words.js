// The words around an embedded figure, in both languages.

const ENGLISH = {
  language: "en",
  whole: "Open in Attention Scope",
  loading: "Loading …",
  step: (share) => `Loading the model: ${share}`,
  unreachable: (address, reason) => `The trace could not be fetched: ${address} (${reason}).`,
  refused: (address, status) => `The trace could not be fetched: ${address} answers ${status}.`,
  noModel: (name, names) => `There is no model “${name}” here. There are: ${names}.`,
  noText: "The address has no text for the model.",
  failed: (reason) => `The model could not be run: ${reason}.`,
};

const CHINESE = {
  language: "zh",
  whole: "在 Attention Scope 中打开",
  loading: "正在加载……",
  step: (share) => `正在加载模型：${share}`,
  unreachable: (address, reason) => `无法获取 trace 文件：${address}（${reason}）。`,
  refused: (address, status) => `无法获取 trace 文件：${address} 返回 ${status}。`,
  noModel: (name, names) => `这里没有名为“${name}”的模型。可选：${names}。`,
  noText: "地址中没有给模型的文本。",
  failed: (reason) => `模型无法运行：${reason}。`,
};

/** Returns the words of a language; English where it is neither. */
export const wordsOf = (language) => (/^zh\b/i.test(language) ? CHINESE : ENGLISH);
