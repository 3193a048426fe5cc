"""The words of Chinese and English, once: a concept a row, a language a column. Rules ask by concept."""
