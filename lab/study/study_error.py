"""Bad input of the study kit."""


class StudyError(Exception):
    """The message is one line for the user."""
