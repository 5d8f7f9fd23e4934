"""Where a viewer's head is: from the pictures of a webcam, or from packets of a tracker."""
